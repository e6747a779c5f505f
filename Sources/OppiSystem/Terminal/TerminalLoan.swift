// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization

/// Lends this program's terminal to another program of the same job, such as an editor.
///
/// Key signals affect only that program, as in git and system(3), except Ctrl-Z, which stops both.
/// Signals that ask for the exit still affect this program.
final class TerminalLoan: Sendable {
  private static let keys = SignalSet([SIGINT, SIGQUIT])
  private static let all = SignalSet([SIGINT, SIGQUIT, SIGTSTP])
  private static let count = Mutex(0)

  static var isLent: Bool { count.withLock { $0 > 0 } }

  /// The signals that were blocked before.
  private let blocked: SignalSet
  private let descriptor: Int32
  private let modes: termios?

  /// Lends the terminal; must be ended on the same thread.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    var modes = termios()
    self.modes = tcgetattr(descriptor, &modes) == 0 ? modes : nil
    blocked = Self.all.blocked
    Self.count.withLock { $0 += 1 }
    Self.keys.block()
    SignalSet([SIGTSTP]).unblock()
  }

  /// Takes the terminal back from a program that has exited.
  ///
  /// - Parameter wasCutOff: Whether the program was interrupted, and may have left the terminal in
  ///   modes of its own.
  func end(wasCutOff: Bool) {
    Self.keys.discardPending()
    SignalSet([SIGCONT]).discardPending()
    blocked.block()
    Self.all.subtracting(blocked).unblock()
    Self.count.withLock { $0 -= 1 }
    // From the background, this would stop the program.
    guard wasCutOff, var modes, Terminal.isInForeground(descriptor) else { return }
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }
}
