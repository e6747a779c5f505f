// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// The signals that ask a program to exit, as events of the loop.
package struct EndSignals: Sendable {
  package enum Request: Sendable {
    /// The user pressed Ctrl-C.
    case interrupt
    /// The system asked, or the terminal was closed.
    case terminate
  }

  private let watcher: SignalWatcher

  /// Handles the signals from now on; they no longer end the program by default.
  package init(on loop: EventLoop) throws(SystemError) {
    watcher = try SignalWatcher([SIGINT, SIGTERM, SIGHUP], on: loop)
  }

  /// Waits for the next request; `nil` when the waiting task is cancelled.
  ///
  /// Ctrl-C in an editor that uses the terminal is ignored here.
  package func next() async -> Request? {
    while let signal = await watcher.next() {
      guard signal == SIGINT else { return .terminate }
      if !TerminalLoan.isLent { return .interrupt }
    }
    return nil
  }
}
