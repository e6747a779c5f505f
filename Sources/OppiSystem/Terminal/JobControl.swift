// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// Stops the program on Ctrl-Z, as a shell with job control expects.
enum JobControl {
  enum Target {
    /// This program only: the terminal has already sent the signal to the rest of the job.
    case process
    /// The whole job, as a terminal does.
    case job
  }

  /// Whether a signal that asks this program to exit is pending.
  static var isEndRequested: Bool {
    SignalSet([SIGHUP, SIGINT, SIGQUIT, SIGTERM]).isPending
  }

  /// Stops, and returns when the job is continued.
  ///
  /// Uses SIGTSTP instead of SIGSTOP, because the system does not deliver SIGTSTP to a job that no
  /// shell could continue.
  ///
  /// - Parameter target: The processes to stop.
  /// - Returns: Whether the program was stopped.
  @discardableResult
  static func stop(_ target: Target) -> Bool {
    let (stop, goOn) = (SignalSet([SIGTSTP]), SignalSet([SIGCONT]))
    return goOn.whileBlocked {
      goOn.discardPending()
      stop.whileBlocked {
        // Several pending signals cause a single stop.
        raise(SIGTSTP)
        if target == .job { kill(0, SIGTSTP) }
        stop.whileUnblocked {}
      }
      return goOn.discardPending()
    }
  }
}
