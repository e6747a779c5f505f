// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A terminal in line mode on which Ctrl-C and Ctrl-Z end a line as bytes and raise no signal.
package final class LineTerminal: PrintingTerminal {
  /// More than a terminal keeps of a line.
  private static let lineLimit = 64 << 10

  private let descriptor: Int32
  private let loop: EventLoop
  private let original: termios
  private let isChanged = Atomic(false)
  package let interrupt: UInt8
  package let suspension: UInt8

  /// Disables the terminal's signal keys.
  package init(descriptor: Int32, on loop: EventLoop) throws(SystemError) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { throw SystemError("tcgetattr") }
    self.descriptor = descriptor
    self.loop = loop
    original = modes
    (interrupt, suspension) = withUnsafeBytes(of: modes.c_cc) { ($0[Int(VINTR)], $0[Int(VSUSP)]) }
    enter()
  }

  deinit {
    restore()
  }

  private func enter() {
    var modes = original
    modes.c_lflag &= ~tcflag_t(ISIG)
    modes.c_lflag |= tcflag_t(ICANON | IEXTEN)
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      // Besides the line feed, a terminal supports two more characters that end a line.
      characters[Int(VEOL)] = interrupt
      characters[Int(VEOL2)] = suspension
    }
    tcsetattr(descriptor, TCSANOW, &modes)
    isChanged.store(true, ordering: .relaxed)
  }

  package func restore() {
    guard isChanged.exchange(false, ordering: .relaxed) else { return }
    var modes = original
    tcsetattr(descriptor, TCSANOW, &modes)
  }

  package func read() async throws -> [UInt8] {
    // What was readable may have been taken meanwhile, and reading would block.
    repeat {
      _ = try await loop.wait(for: [.readable(descriptor)], until: nil)
    } while !hasInput
    var line = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &line, line.count)
    return Array(line[..<max(0, count)])
  }

  /// Whether a line, an end of input or a hang-up can be read now.
  private var hasInput: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Takes what was typed and not read, also the start of a line that has no end yet; nothing while
  /// the program is in the background.
  package func takeUnread() -> [UInt8] {
    guard Terminal.isInForeground(descriptor), isChanged.load(ordering: .relaxed) else { return [] }
    var modes = original
    modes.c_lflag &= ~tcflag_t(ISIG | ICANON)
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = 0
    }
    // Without line editing, the terminal gives out the bytes of an unfinished line.
    tcsetattr(descriptor, TCSANOW, &modes)
    defer { enter() }
    var taken: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while taken.count < Self.lineLimit {
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      taken += bytes[..<count]
    }
    // An end of input that was typed is a zero here.
    return taken.filter { $0 != 0 }
  }

  /// Stops the whole job, as Ctrl-Z usually does, until it is in the foreground again.
  package func suspend() {
    restore()
    JobControl.stop(.job)
    if Terminal.isInForeground(descriptor) { enter() }
  }
}

/// A terminal to draw on while the shell reads the keys; its modes are not changed.
package final class LiveTerminal: PictureTerminal {
  private let descriptor: Int32
  private let output: OutputStream
  private let loop: EventLoop
  private let events: TerminalEvents
  private let isDrawnOn = Atomic(false)

  /// Takes over a terminal; from now on, Ctrl-Z is an event that ``suspend()`` handles.
  package init(descriptor: Int32, on loop: EventLoop) throws(SystemError) {
    self.descriptor = descriptor
    self.loop = loop
    output = OutputStream(descriptor: descriptor)
    events = try TerminalEvents(on: loop)
  }

  deinit {
    restore()
  }

  /// Shows the cursor again; a second call does nothing.
  ///
  /// - Parameter lastFrame: Bytes to write first.
  package func restore(after lastFrame: [UInt8] = []) {
    guard isDrawnOn.exchange(false, ordering: .relaxed) else { return }
    // A blocked terminal must not delay the exit.
    try? output.writeBlocking(lastFrame + Terminal.showCursor, limit: Terminal.timeout)
  }

  /// Stops as Ctrl-Z requires, with the cursor visible, and returns when the shell continues the
  /// program.
  ///
  /// The last frame must be complete, because the shell prompts at the cursor.
  package func suspend() {
    restore()
    JobControl.stop(.process)
  }

  package func size() -> (columns: Int, rows: Int) { Terminal.size(of: descriptor) }

  package var isInForeground: Bool { Terminal.isInForeground(descriptor) }

  package func write(_ bytes: [UInt8]) async throws(CancellationError) {
    guard !bytes.isEmpty else { return }
    isDrawnOn.store(true, ordering: .relaxed)
    try await output.draw(bytes, on: loop)
  }

  package func takeEvents() -> [TerminalEvent] { events.take() }
}
