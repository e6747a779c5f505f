// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A terminal that delivers each key at once, including Ctrl-C and Ctrl-Z, without echo.
///
/// A line feed still moves to the start of the next line. The descriptor must be open for reading
/// and writing; its flags are not changed, because the shell shares the open file.
package final class RawTerminal: KeyTerminal {
  private let descriptor: Int32
  private let output: OutputStream
  private let loop: EventLoop
  private let original: termios
  private let modes: Mutex<[TerminalMode]>
  private let isRaw = Atomic(false)
  private let reading = Mutex(Reading())

  private struct Reading {
    /// Another program uses the terminal.
    var isLent = false
    /// Wakes the task that waits for keys.
    var wakeup: EventLoop.Wakeup?
    /// How often the reader of the keys has changed.
    var turns = 0
  }

  /// Puts a terminal into raw mode, with the modes of keys and others.
  package init(
    descriptor: Int32,
    modes others: [TerminalMode] = [],
    on loop: EventLoop
  ) throws(SystemError) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { throw SystemError("tcgetattr") }
    self.descriptor = descriptor
    self.loop = loop
    output = OutputStream(descriptor: descriptor)
    original = modes
    self.modes = Mutex(TerminalMode.ofKeys + others)
    try enter()
  }

  deinit {
    restore()
  }

  package func restore(after lastFrame: [UInt8] = []) {
    guard isRaw.exchange(false, ordering: .relaxed) else { return }
    // A blocked terminal must not delay the exit.
    let ends = modes.withLock { $0 }.reversed().flatMap(\.end.utf8)
    writeNow(lastFrame + ends + Terminal.showCursor)
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
    isRaw.store(true, ordering: .relaxed)
    writeNow(self.modes.withLock { $0 }.flatMap(\.begin.utf8))
  }

  package func set(_ mode: TerminalMode, isOn: Bool) {
    let isNew = modes.withLock { modes in
      guard modes.contains(mode) != isOn else { return false }
      if isOn { modes.append(mode) } else { modes.removeAll { $0 == mode } }
      return true
    }
    // The terminal of another program is left alone.
    guard isNew, isRaw.load(ordering: .relaxed) else { return }
    writeNow(Array((isOn ? mode.begin : mode.end).utf8))
  }

  private func writeNow(_ bytes: [UInt8]) {
    try? output.writeBlocking(bytes, limit: Terminal.timeout)
  }

  /// Runs the body with the terminal in its original modes, for another program, and then returns
  /// to raw mode; no key is read meanwhile.
  ///
  /// The original modes stay if the terminal was not in raw mode before, or if this program is no
  /// longer in its foreground.
  package func whileRestored<Result, Failure>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let wasRaw = isRaw.load(ordering: .relaxed)
    restore()
    lend(true)
    defer {
      enterAgain(if: wasRaw)
      lend(false)
    }
    return try await body()
  }

  /// Returns to raw mode if this program is still in the foreground of the terminal.
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

  /// Stops the whole job, as Ctrl-Z usually does, until it is in the foreground again or a signal
  /// asks the program to exit.
  ///
  /// The last frame must be complete, because the shell prompts at the cursor.
  ///
  /// - Returns: Whether the terminal is in raw mode again and may be drawn on.
  @discardableResult
  package func suspend() -> Bool {
    let wasRaw = isRaw.load(ordering: .relaxed)
    restore()
    while JobControl.stop(.job), !Terminal.isInForeground(descriptor),
      !JobControl.isEndRequested
    {}
    enterAgain(if: wasRaw)
    return isRaw.load(ordering: .relaxed)
  }

  package func size() -> (columns: Int, rows: Int) { Terminal.size(of: descriptor) }

  package func write(_ bytes: [UInt8]) async throws(CancellationError) {
    try await output.draw(bytes, on: loop)
  }

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
      if let bytes = readNow() { return bytes }
    }
  }

  /// Reads what is there, without bytes at the end of input; `nil` if the read was interrupted.
  private func readNow() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    if count >= 0 { return Array(bytes[..<count]) }
    // Any other error means that the terminal is gone.
    return errno == EAGAIN || errno == EINTR ? nil : []
  }

  package func dropInput(for limit: Duration, until isEnd: ([UInt8]) -> Bool) {
    guard isRaw.load(ordering: .relaxed) else { return }
    let deadline = loop.now + limit
    while true {
      let rest = loop.now.duration(to: deadline)
      guard rest > .zero else { return }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&wanted, 1, Int32(rest / .milliseconds(1)) + 1)
      guard count > 0 || count < 0 && errno == EINTR else { return }
      guard count > 0, let bytes = readNow() else { continue }
      if bytes.isEmpty || isEnd(bytes) { return }
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

/// Stops the program on Ctrl-Z, as a shell with job control expects.
enum JobControl {
  enum Target {
    /// This program only: the terminal has already sent the signal to the rest of the job.
    case process
    /// The whole job, as a terminal does.
    case job
  }

  /// Whether a signal that asks this program to exit is pending.
  static var isEndRequested: Bool {
    SignalSet([SIGHUP, SIGINT, SIGQUIT, SIGTERM]).isPending
  }

  /// Stops, and returns when the job is continued.
  ///
  /// Uses SIGTSTP instead of SIGSTOP, because the system does not deliver SIGTSTP to a job that no
  /// shell could continue.
  ///
  /// - Parameter target: The processes to stop.
  /// - Returns: Whether the program was stopped.
  @discardableResult
  static func stop(_ target: Target) -> Bool {
    let (stop, goOn) = (SignalSet([SIGTSTP]), SignalSet([SIGCONT]))
    return goOn.whileBlocked {
      goOn.discardPending()
      stop.whileBlocked {
        // Several pending signals cause a single stop.
        raise(SIGTSTP)
        if target == .job { kill(0, SIGTSTP) }
        stop.whileUnblocked {}
      }
      return goOn.discardPending()
    }
  }
}
