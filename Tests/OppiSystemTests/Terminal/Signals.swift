// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

@testable import OppiSystem

/// What a test that is a process of its own needs to deal with signals.
enum Signals {
  /// Delivers signals to the calling thread, as to a program's main one; other tests' threads block
  /// them.
  static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Makes the process a job of its own, which a shell script is told to continue once it has
  /// stopped.
  ///
  /// - Parameter script: What to do while the job is stopped.
  /// - Returns: Whether all that was possible.
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
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var process = pid_t()
    return Program.withWords(["sh", "-c", whole]) { words in
      posix_spawn(&process, "/bin/sh", nil, &attributes, words, environ) == 0
    }
  }
}
