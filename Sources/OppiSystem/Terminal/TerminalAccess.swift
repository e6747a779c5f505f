// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// The ways in which a command takes over its terminal, which is not changed before.
package protocol TerminalAccess: Sendable {
  /// Reports terminal events from now on; only one source may exist at a time.
  func events(on loop: EventLoop) throws(SystemError) -> any TerminalEventSource

  /// Reads single keys from the terminal of standard input, which also reports what `modes` say.
  func keys(
    modes: [TerminalMode],
    on loop: EventLoop
  ) throws(SystemError) -> any KeyTerminal

  /// Reads lines from the terminal of standard input.
  func lines(on loop: EventLoop) throws(SystemError) -> any PrintingTerminal

  /// Draws on the terminal of an output stream, while the shell reads its keys.
  func picture(
    on stream: StandardStream,
    on loop: EventLoop
  ) throws(SystemError) -> any PictureTerminal
}

package protocol TerminalEventSource: Sendable {
  /// Waits for the next event; `nil` when the waiting task is cancelled.
  func next() async -> TerminalEvent?
}

package protocol DrawableTerminal: Sendable {
  /// In cells; 80 columns and 24 rows if unknown.
  func size() -> (columns: Int, rows: Int)

  /// Writes all bytes, and suspends while the terminal is blocked; ignores one that is gone.
  func write(_ bytes: [UInt8]) async throws(CancellationError)

  /// Restores the terminal's modes and shows the cursor; a second call does nothing.
  ///
  /// - Parameter lastFrame: Bytes to write first.
  func restore(after lastFrame: [UInt8])
}

/// A terminal that delivers each key at once.
package protocol KeyTerminal: DrawableTerminal {
  /// Waits for keys and returns their bytes: none at the end of input, `nil` at the deadline.
  func read(until deadline: EventLoop.Instant?) async throws(CancellationError) -> [UInt8]?

  /// Runs the body, such as another program, in the original modes; reads no key meanwhile.
  func whileRestored<Result, Failure>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result

  /// Reads and drops input until `isEnd` returns true for a part of it, at most for a time; blocks the
  /// program meanwhile.
  func dropInput(for limit: Duration, until isEnd: ([UInt8]) -> Bool)

  /// Begins or ends a mode, which from now on is restored with the others, or not entered again.
  func set(_ mode: TerminalMode, isOn: Bool)

  /// Stops the whole job until it is in the foreground again, or is asked to exit.
  ///
  /// - Returns: Whether the terminal may be drawn on again.
  func suspend() -> Bool
}

/// A terminal in line mode, on which Ctrl-C and Ctrl-Z end a line as bytes.
package protocol PrintingTerminal: Sendable {
  /// The byte of Ctrl-C, or of the user's interrupt key, which ends a line.
  var interrupt: UInt8 { get }
  /// The byte of Ctrl-Z, or of the user's suspend key, which ends a line.
  var suspension: UInt8 { get }

  /// Waits for the next line and returns its bytes; none at the end of input.
  func read() async throws -> [UInt8]

  /// Takes what was typed and not read, also the start of a line that has no end yet.
  func takeUnread() -> [UInt8]

  /// Stops the whole job until it is in the foreground again.
  func suspend()

  /// Restores the terminal's modes; a second call does nothing.
  func restore()
}

/// A terminal on which a program draws while the shell reads the keys.
package protocol PictureTerminal: DrawableTerminal {
  /// Whether the program may draw: in the background, it would overwrite the output of others.
  var isInForeground: Bool { get }

  /// Returns the events since the last call.
  func takeEvents() -> [TerminalEvent]

  /// Stops on Ctrl-Z with the cursor visible; returns when the shell continues the program.
  func suspend()
}

package struct ProcessTerminal: TerminalAccess {
  package init() {}

  package func events(on loop: EventLoop) throws(SystemError) -> any TerminalEventSource {
    try TerminalEvents(on: loop)
  }

  package func keys(
    modes: [TerminalMode],
    on loop: EventLoop
  ) throws(SystemError) -> any KeyTerminal {
    try RawTerminal(descriptor: StandardStream.input.descriptor, modes: modes, on: loop)
  }

  package func lines(on loop: EventLoop) throws(SystemError) -> any PrintingTerminal {
    try LineTerminal(descriptor: StandardStream.input.descriptor, on: loop)
  }

  package func picture(
    on stream: StandardStream,
    on loop: EventLoop
  ) throws(SystemError) -> any PictureTerminal {
    try LiveTerminal(descriptor: stream.descriptor, on: loop)
  }
}

/// An event of the terminal while a program draws on it.
package enum TerminalEvent: Sendable, Equatable {
  case resized
  /// Ctrl-Z: the program must finish its frame and suspend itself.
  case suspendRequested
  /// The program was continued, or is in the foreground again: others may have drawn.
  case continued
}

/// The signals of a terminal and a shell about the screen, as events.
///
/// While an instance exists, Ctrl-Z alone does not stop the program. Only one may exist, created
/// and released on the loop's thread.
package final class TerminalEvents: TerminalEventSource {
  private static let signals = [SIGWINCH, SIGTSTP, SIGCONT]

  private let watcher: SignalWatcher

  package init(on loop: EventLoop) throws(SystemError) {
    watcher = try SignalWatcher(Self.signals, on: loop)
  }

  deinit {
    SignalSet(Self.signals).unblock()
  }

  package func next() async -> TerminalEvent? {
    await watcher.next().map(Self.event)
  }

  package func take() -> [TerminalEvent] {
    let signals = SignalSet(Self.signals)
    var events: [TerminalEvent] = []
    while let signal = signals.takePending() { events.append(Self.event(of: signal)) }
    return events
  }

  private static func event(of signal: Int32) -> TerminalEvent {
    switch signal {
    case SIGTSTP: .suspendRequested
    case SIGCONT: .continued
    default: .resized
    }
  }
}

package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// In columns and rows; `nil` for what is unknown, as on a stream that is not a terminal.
  package static func window(of descriptor: Int32) -> (columns: Int?, rows: Int?) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
    // A new pseudo-terminal reports 0 for both.
    return (
      size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil
    )
  }
}

// MARK: - Drawing

extension Terminal {
  /// The sequence that shows the cursor (private mode 25).
  static let showCursor = Array("\u{1B}[?25h".utf8)

  /// In cells; 80 columns and 24 rows if unknown.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    let window = window(of: descriptor)
    return (window.columns ?? 80, window.rows ?? 24)
  }

  /// Whether this program's job is in the foreground of the terminal.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // If it is not the terminal of this session, there are no other jobs.
    return group < 0 || group == getpgrp()
  }

  /// How long a blocked terminal may delay its restoration.
  static let timeout = Duration.milliseconds(100)
}

extension OutputStream {
  /// Writes all bytes to a terminal; ignores a terminal that is gone.
  func draw(_ bytes: [UInt8], on loop: EventLoop) async throws(CancellationError) {
    do {
      try await write(bytes, on: loop)
    } catch {
      if error == .cancelled { throw CancellationError() }
    }
  }
}
