// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// What happens to a terminal while a program draws on it.
package enum TerminalEvent: Sendable, Equatable {
  case resized
  /// Ctrl-Z: the program is to finish its frame and to suspend itself.
  case suspendRequested
  /// The program goes on after a stop that it did not choose, or has come into the foreground:
  /// others may have drawn since.
  case continued
}

/// The signals that a terminal and a shell send about the screen, as events.
///
/// While a value lives, Ctrl-Z stops nothing by itself. There is one at a time, made and given up
/// on the loop's thread.
package final class TerminalEvents: Sendable {
  private static let signals = [SIGWINCH, SIGTSTP, SIGCONT]

  private let watcher: SignalWatcher

  package init(on loop: EventLoop) throws(SystemError) {
    watcher = try SignalWatcher(Self.signals, on: loop)
  }

  deinit {
    SignalSet(Self.signals).unblock()
  }

  /// Waits for the next event; `nil` when the waiting task is cancelled.
  package func next() async -> TerminalEvent? {
    await watcher.next().map(Self.event)
  }

  /// Returns the events that have come since they were last asked for.
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
