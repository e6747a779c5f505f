// SPDX-License-Identifier: MIT

import Glibc
import OppiModel
import OppiRendering
import OppiSystem

/// The reader of standard output is gone; there is nobody to tell more.
struct ReaderGone: Error {}

/// The two output streams: the answer to standard output, everything else to standard error.
package struct Console: Sendable {
  /// Writes all the bytes to a descriptor.
  package typealias Write = @Sendable ([UInt8], _ descriptor: Int32) throws -> Void

  package let policy: OutputPolicy
  private let write: Write

  package init(policy: OutputPolicy, write: @escaping Write = Console.writeAll) {
    self.policy = policy
    self.write = write
  }

  /// The same streams under other global options.
  func with(_ options: GlobalOptions) -> Console {
    Console(policy: policy.with(options), write: write)
  }

  /// Prints a line of the answer.
  func print(_ line: String) throws {
    try write(Array((line + "\n").utf8), STDOUT_FILENO)
  }

  /// Prints a JSON document of the answer, or one line of a stream.
  func print(_ json: JSONValue) throws {
    try print(json.text())
  }

  /// Prints a table: aligned for eyes, else with tabs and full values.
  func print(_ table: Table) throws {
    let lines =
      policy.isForEyes
      ? table.aligned(width: policy.width, theme: policy.theme) : table.tabSeparated()
    for line in lines { try print(line) }
  }

  /// Tells how things go; left out under `--quiet`.
  func status(_ line: StyledText) {
    if !policy.isQuiet { report(policy.errorTheme.render(line)) }
  }

  /// Tells a step that matters when something is wrong; only under `--verbose`.
  func detail(_ text: @autoclosure () -> String) {
    if policy.isVerbose { report(policy.errorTheme.render(StyledText(text(), .dim))) }
  }

  func warn(_ message: String) {
    var line = StyledText("oppi: warning: ", .warning)
    line.append(message)
    report(policy.errorTheme.render(line))
  }

  func report(_ error: OppiError) {
    report(policy.isJSON ? error.json.text() : error.text)
  }

  /// Trouble with standard error cannot be told to anyone.
  private func report(_ text: String) {
    try? write(Array((text + "\n").utf8), STDERR_FILENO)
  }

  /// Writes to the real descriptor, also where it is nonblocking.
  package static let writeAll: Write = { bytes, descriptor in
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        Glibc.write(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno == EPIPE {
        throw ReaderGone()
      } else if errno != EINTR {
        throw OppiError(.ioFailed, "cannot write the output: \(String(cString: strerror(errno)))")
      }
    }
  }
}
