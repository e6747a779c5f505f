// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Reads text that the user passes to a command.
package enum Input {
  /// Reads standard input to its end, without blocking the loop's signals and deadlines.
  ///
  /// - Parameters:
  ///   - loop: The event loop.
  ///   - limit: The maximum number of bytes.
  ///   - deadline: When the input must have ended.
  ///   - isComplete: Whether the bytes typed or pasted so far are enough; the rest of the
  ///     terminal's input is then discarded, so that no shell runs it.
  /// - Returns: The bytes.
  /// - Throws: `WaitError` if the input has not ended by the deadline or the task is cancelled.
  package static func standardInput(
    on loop: EventLoop,
    limit: Int,
    until deadline: EventLoop.Instant? = nil,
    isComplete: ([UInt8]) -> Bool = { _ in false }
  ) async throws -> [UInt8] {
    let bytes = try await all(
      of: STDIN_FILENO,
      called: "standard input",
      on: loop,
      limit: limit,
      until: deadline,
      isComplete: isComplete
    )
    if isComplete(bytes) { discardTyped() }
    return bytes
  }

  /// Discards what was typed at the terminal of standard input and not read.
  package static func discardTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// Whether standard input is a pipe with unread data.
  package static func isUnreadPipe() -> Bool {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      return false
    }
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
  }

  /// Reads a file that the user named, which may be a pipe; `nil` if it does not exist.
  package static func file(
    _ path: String,
    on loop: EventLoop,
    limit: Int,
    until deadline: EventLoop.Instant? = nil
  ) async throws -> [UInt8]? {
    // An ordinary open would block on a named pipe without a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileError.cannotRead(path: path, SystemError("open"))
    }
    defer { close(descriptor) }
    // A pipe without a writer looks as if it had ended; waiting distinguishes the two.
    return try await all(of: descriptor, called: path, on: loop, limit: limit, until: deadline)
  }

  private static func all(
    of descriptor: Int32,
    called name: String,
    on loop: EventLoop,
    limit: Int,
    until deadline: EventLoop.Instant?,
    isComplete: ([UInt8]) -> Bool = { _ in false }
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      _ = try await loop.wait(for: [.readable(descriptor)], until: deadline)
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR, errno != EAGAIN {
        throw FileError.cannotRead(path: name, SystemError("read"))
      }
      guard bytes.count <= limit else { throw FileError.tooLarge(path: name, limit: limit) }
      if isComplete(bytes) { return bytes }
    }
  }
}
