// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization

/// A terminal to draw on while the shell reads the keys; its modes are not changed.
package final class LiveTerminal: Sendable {
  private let descriptor: Int32
  private let output: OutputStream
  private let loop: EventLoop
  private let events: TerminalEvents
  private let isDrawnOn = Mutex(false)

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
    let wasDrawnOn = isDrawnOn.withLock { isDrawnOn in
      defer { isDrawnOn = false }
      return isDrawnOn
    }
    guard wasDrawnOn else { return }
    // A blocked terminal must not delay the exit.
    try? output.writeBlocking(lastFrame + Terminal.showCursor, limit: Terminal.patience)
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
    isDrawnOn.withLock { $0 = true }
    try await output.draw(bytes, on: loop)
  }

  package func takeEvents() -> [TerminalEvent] { events.take() }
}
