// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization

/// A terminal on which a program draws while the keys stay with the shell: Ctrl-C is a signal, and
/// the modes are left alone.
package final class LiveTerminal: Sendable {
  private let descriptor: Int32
  private let output: OutputStream
  private let loop: EventLoop
  private let events: TerminalEvents
  private let isDrawnOn = Mutex(false)

  /// Takes a terminal over; from now on Ctrl-Z is an event that ``suspend()`` answers.
  package init(descriptor: Int32, on loop: EventLoop) throws(SystemError) {
    self.descriptor = descriptor
    self.loop = loop
    output = OutputStream(descriptor: descriptor)
    events = try TerminalEvents(on: loop)
  }

  deinit {
    restore()
  }

  /// Shows the cursor again, whatever was written last; a second call does nothing.
  ///
  /// - Parameter lastFrame: What is written before that.
  package func restore(after lastFrame: [UInt8] = []) {
    let wasDrawnOn = isDrawnOn.withLock { isDrawnOn in
      defer { isDrawnOn = false }
      return isDrawnOn
    }
    guard wasDrawnOn else { return }
    // A terminal that shows nothing must not hold up the end.
    try? output.writeBlocking(lastFrame + Terminal.showCursor, limit: Terminal.patience)
  }

  /// Stops as Ctrl-Z asks for, with the cursor shown, and returns once the shell goes on with it.
  ///
  /// The last frame must have been finished, since the shell prompts where the cursor is.
  package func suspend() {
    restore()
    JobControl.stop(.process)
  }

  /// The size in cells; 80 columns and 24 rows where the terminal does not know it.
  package func size() -> (columns: Int, rows: Int) { Terminal.size(of: descriptor) }

  /// Whether the program may draw: in the background it would do so over the work of others.
  package var isInForeground: Bool { Terminal.isInForeground(descriptor) }

  /// Writes all bytes, and suspends while the terminal takes none; one that is gone gets none.
  package func write(_ bytes: [UInt8]) async throws(CancellationError) {
    guard !bytes.isEmpty else { return }
    isDrawnOn.withLock { $0 = true }
    try await output.draw(bytes, on: loop)
  }

  /// Returns the events that have come since they were last asked for.
  package func takeEvents() -> [TerminalEvent] { events.take() }
}
