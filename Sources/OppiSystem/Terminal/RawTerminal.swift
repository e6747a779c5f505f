// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A terminal that hands over every key at once, Ctrl-C and Ctrl-Z too, and echoes none.
///
/// Line feeds still go to the start of the next line. The descriptor must be open for reading and
/// writing; its flags are left alone, as the shell has the same open file.
package final class RawTerminal: Sendable {
  private static let beginPasteMarks = Array("\u{1B}[?2004h".utf8)
  private static let endPasteMarks = Array("\u{1B}[?2004l".utf8)

  private let descriptor: Int32
  private let output: OutputStream
  private let loop: EventLoop
  private let original: termios
  private let isRaw = Mutex(false)
  private let reading = Mutex(Reading())

  /// Who reads the keys.
  private struct Reading {
    /// Another program has the terminal.
    var isLent = false
    /// Wakes the task that waits for keys.
    var wakeup: EventLoop.Wakeup?
    /// How often another program has taken over the keyboard.
    var turns = 0
  }

  /// Puts a terminal into raw mode, with marks around what is pasted.
  package init(descriptor: Int32, on loop: EventLoop) throws(SystemError) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { throw SystemError("tcgetattr") }
    self.descriptor = descriptor
    self.loop = loop
    output = OutputStream(descriptor: descriptor)
    original = modes
    try enter()
  }

  deinit {
    restore()
  }

  /// Gives the terminal back as it was, with the cursor shown; a second call does nothing.
  ///
  /// - Parameter lastFrame: What is written before that.
  package func restore(after lastFrame: [UInt8] = []) {
    let wasRaw = isRaw.withLock { isRaw in
      defer { isRaw = false }
      return isRaw
    }
    guard wasRaw else { return }
    // A terminal that shows nothing must not hold up the end.
    writeNow(lastFrame + Self.endPasteMarks + Terminal.showCursor)
    var modes = original
    tcsetattr(descriptor, TCSANOW, &modes)
  }

  private func enter() throws(SystemError) {
    var modes = original
    modes.c_iflag &= ~tcflag_t(BRKINT | ICRNL | IGNCR | INLCR | ISTRIP | IXON | PARMRK)
    modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    guard tcsetattr(descriptor, TCSANOW, &modes) == 0 else { throw SystemError("tcsetattr") }
    isRaw.withLock { $0 = true }
    writeNow(Self.beginPasteMarks)
  }

  private func writeNow(_ bytes: [UInt8]) {
    try? output.writeBlocking(bytes, limit: Terminal.patience)
  }

  /// Performs a body with the terminal as it was, for another program to use, and goes on raw; no key
  /// is read meanwhile.
  ///
  /// The terminal stays as it was where it was not raw before, or belongs to another job or nobody
  /// by now.
  package func whileRestored<Result, Failure>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let wasRaw = isRaw.withLock { $0 }
    restore()
    lend(true)
    defer {
      enterAgain(if: wasRaw)
      lend(false)
    }
    return try await body()
  }

  /// Goes on raw where the terminal is still this program's own.
  private func enterAgain(if wasRaw: Bool) {
    if wasRaw, Terminal.isInForeground(descriptor) { try? enter() }
  }

  private func lend(_ isLent: Bool) {
    reading.withLock { reading in
      reading.isLent = isLent
      reading.turns += 1
      return reading.wakeup
    }?
    .fire()
  }

  /// Stops the whole job, as Ctrl-Z does elsewhere, until it is in the foreground again or a signal
  /// asks the program to end.
  ///
  /// The last frame must have been finished, since the shell prompts where the cursor is.
  ///
  /// - Returns: Whether the terminal is raw again and may be drawn on.
  @discardableResult
  package func suspend() -> Bool {
    let wasRaw = isRaw.withLock { $0 }
    restore()
    while JobControl.stop(.job), !Terminal.isInForeground(descriptor),
      !JobControl.isEndRequested
    {}
    enterAgain(if: wasRaw)
    return isRaw.withLock { $0 }
  }

  /// The size in cells; 80 columns and 24 rows where the terminal does not know it.
  package func size() -> (columns: Int, rows: Int) { Terminal.size(of: descriptor) }

  /// Writes all bytes, and suspends while the terminal takes none; one that is gone gets none.
  package func write(_ bytes: [UInt8]) async throws(CancellationError) {
    try await output.draw(bytes, on: loop)
  }

  /// Waits for keys and returns their bytes: none at the end of input, `nil` when the time has
  /// come.
  package func read(
    until deadline: EventLoop.Instant?
  ) async throws(CancellationError) -> [UInt8]? {
    while true {
      do {
        guard try await waitForKeys(until: deadline) else { continue }
      } catch {
        if error == .timedOut { return nil }
        throw CancellationError()
      }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes[..<count]) }
      // Any other error means that the terminal is gone.
      guard errno == EAGAIN || errno == EINTR else { return [] }
    }
  }

  /// Returns whether keys are available; false if another program took over the keyboard meanwhile.
  private func waitForKeys(
    until deadline: EventLoop.Instant?
  ) async throws(EventLoop.WaitError) -> Bool {
    let (isLent, turns) = reading.withLock { ($0.isLent, $0.turns) }
    try await loop.wait(for: isLent ? [] : [.readable(descriptor)], until: deadline) { wakeup in
      reading.withLock { $0.wakeup = wakeup }
    }
    return reading.withLock { $0.turns == turns }
  }
}
