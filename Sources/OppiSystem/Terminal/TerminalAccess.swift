// SPDX-License-Identifier: MIT

package import EventLoop

/// The ways in which a command takes over the terminal that it was started on; nothing of it is
/// touched before.
package protocol TerminalAccess: Sendable {
  /// Tells what happens to the terminal from now on; there is one at a time.
  func events(on loop: EventLoop) throws(SystemError) -> any TerminalEventSource

  /// Takes the keys of standard input's terminal, one by one.
  func keys(on loop: EventLoop) throws(SystemError) -> any KeyTerminal

  /// Takes whole lines from standard input's terminal.
  func lines(on loop: EventLoop) throws(SystemError) -> any PrintingTerminal

  /// Draws on an output stream's terminal, whose keys stay with the shell.
  func picture(
    on stream: StandardStream,
    on loop: EventLoop
  ) throws(SystemError) -> any PictureTerminal
}

/// Where the events of a terminal come from.
package protocol TerminalEventSource: Sendable {
  /// Waits for the next event; `nil` when the waiting task is cancelled.
  func next() async -> TerminalEvent?
}

/// A terminal that can be drawn on.
package protocol DrawableTerminal: Sendable {
  /// The size in cells; 80 columns and 24 rows where the terminal does not know it.
  func size() -> (columns: Int, rows: Int)

  /// Writes all bytes, and suspends while the terminal takes none; one that is gone gets none.
  func write(_ bytes: [UInt8]) async throws(CancellationError)

  /// Gives the terminal back as it was, with the cursor shown; a second call does nothing.
  ///
  /// - Parameter lastFrame: What is written before that.
  func restore(after lastFrame: [UInt8])
}

/// A terminal that hands over every key at once.
package protocol KeyTerminal: DrawableTerminal {
  /// Waits for keys and returns their bytes: none at the end of input, `nil` when the time has
  /// come.
  func read(until deadline: EventLoop.Instant?) async throws(CancellationError) -> [UInt8]?

  /// Performs a body with the terminal as it was, for another program to use; no key is read
  /// meanwhile.
  func whileRestored<Result, Failure>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result

  /// Stops the whole job until it is in the foreground again, or is asked to end.
  ///
  /// - Returns: Whether the terminal may be drawn on again.
  func suspend() -> Bool
}

/// A terminal that gives whole lines, on which Ctrl-C and Ctrl-Z end a line as bytes of it.
package protocol PrintingTerminal: Sendable {
  /// The byte that Ctrl-C, or what the user has in its place, ends a line with.
  var interrupt: UInt8 { get }
  /// The byte that Ctrl-Z ends a line with.
  var suspension: UInt8 { get }

  /// Waits for the next line and returns its bytes; none at the end of input.
  func read() async throws -> [UInt8]

  /// Stops the whole job until it is in the foreground again.
  func suspend()

  /// Gives the terminal back as it was; a second call does nothing.
  func restore()
}

/// A terminal on which a picture stands while its keys stay with the shell.
package protocol PictureTerminal: DrawableTerminal {
  /// Whether the program may draw: in the background it would do so over the work of others.
  var isInForeground: Bool { get }

  /// Returns the events that have come since they were last asked for.
  func takeEvents() -> [TerminalEvent]

  /// Stops as Ctrl-Z asks for, with the cursor shown, and returns once the shell goes on with it.
  func suspend()
}

/// The terminal of this process.
package struct ProcessTerminal: TerminalAccess {
  package init() {}

  package func events(on loop: EventLoop) throws(SystemError) -> any TerminalEventSource {
    try TerminalEvents(on: loop)
  }

  package func keys(on loop: EventLoop) throws(SystemError) -> any KeyTerminal {
    try RawTerminal(descriptor: StandardStream.input.descriptor, on: loop)
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

extension TerminalEvents: TerminalEventSource {}
extension RawTerminal: KeyTerminal {}
extension LineTerminal: PrintingTerminal {}
extension LiveTerminal: PictureTerminal {}
