// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

@testable import OppiSystem

/// Signal handling for tests that run in their own process.
enum Signals {
  /// Unblocks signals in the calling thread; the threads of other tests block them.
  static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Makes the process a job that a shell script continues after it has stopped.
  ///
  /// - Parameter script: Commands to run while the job is stopped.
  /// - Returns: Whether the job and the script were started.
  static func continueOnceStopped(_ script: String = "") -> Bool {
    unblock()
    guard setpgid(0, 0) == 0 else { return false }
    let whole = """
      job=\(getpid())
      stops=0
      for try in $(seq 1000); do
        case $(sed -n 's/^State:.//p' /proc/$job/status) in
          T*)
            # A second stop would last for ever.
            [ $((stops += 1)) = 1 ] || kill -KILL $job
            \(script)
            kill -CONT -$job ;;
          Z* | "") exit ;;
        esac
        sleep 0.01
      done
      """
    let words = ["/bin/sh", "-c", whole]
    return (try? Program.spawn(words, flags: POSIX_SPAWN_SETPGROUP) { _ in }) != nil
  }
}
