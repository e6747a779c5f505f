// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// Stopping by Ctrl-Z, as the shell that waits for its job expects it.
enum JobControl {
  enum Target {
    /// Only this program: the terminal has sent the others of the job their signal already.
    case process
    /// The whole job, as a terminal does.
    case job
  }

  /// Whether a signal waits that asks this program to end.
  static var isEndRequested: Bool {
    SignalSet([SIGHUP, SIGINT, SIGQUIT, SIGTERM]).isPending
  }

  /// Stops and returns when the job is continued.
  ///
  /// It is SIGTSTP and not SIGSTOP, because the system keeps the former from a job that no shell
  /// could continue.
  ///
  /// - Parameter target: What is to stop.
  /// - Returns: Whether it did stop.
  @discardableResult
  static func stop(_ target: Target) -> Bool {
    let (stop, goOn) = (SignalSet([SIGTSTP]), SignalSet([SIGCONT]))
    return goOn.whileBlocked {
      goOn.discardPending()
      stop.whileBlocked {
        // However many wait in the end, the first one delivered makes the stop of them all.
        raise(SIGTSTP)
        if target == .job { kill(0, SIGTSTP) }
        stop.whileUnblocked {}
      }
      return goOn.discardPending()
    }
  }
}
