// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

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
package final class TerminalEvents: Sendable {
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
