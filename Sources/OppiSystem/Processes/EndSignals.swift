// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// The signals that ask a program to end, as events of the loop.
package struct EndSignals: Sendable {
  /// Who asks.
  package enum Request: Sendable {
    /// A person with Ctrl-C.
    case interrupt
    /// The system, or a terminal that went away.
    case terminate
  }

  private let watcher: SignalWatcher

  /// Takes the signals from now on; they no longer end the program by themselves.
  package init(on loop: EventLoop) throws(SystemError) {
    watcher = try SignalWatcher([SIGINT, SIGTERM, SIGHUP], on: loop)
  }

  /// Waits for the next one; `nil` when the waiting task is cancelled.
  ///
  /// Ctrl-C in an editor that has the terminal is for the editor alone.
  package func next() async -> Request? {
    while let signal = await watcher.next() {
      guard signal == SIGINT else { return .terminate }
      if !TerminalLoan.isLent { return .interrupt }
    }
    return nil
  }
}
