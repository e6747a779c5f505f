// SPDX-License-Identifier: MIT

import Glibc

/// Prepares the process before anything else runs.
package enum ProcessSetup {
  /// Resets inherited settings that would interfere.
  package static func perform() {
    // A closed reader causes a write error, not a signal.
    signal(SIGPIPE, SIG_IGN)
    // So does a file over the size limit of the process.
    signal(SIGXFSZ, SIG_IGN)
    // Swift's crash reporter is also searched in relative folders, which may be untrusted.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] {
      signal(number, SIG_DFL)
    }
    occupyStandardDescriptors()
  }

  /// Prevents the program's own files from getting the descriptor of a closed standard stream.
  ///
  /// A closed input then reads as empty, and writing to a closed output fails.
  private static func occupyStandardDescriptors() {
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor) else {
        close(descriptor)
        return
      }
    }
  }

  /// The home folder in the user database; a slow query, used only if `HOME` is unset.
  package static func homeFolder() -> String {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
  }

  /// The name in the user database; `nil` if there is none.
  package static func userName() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
  }

  /// The folder that systemd provides while the user is logged in.
  package static func runtimeFolder() -> String { "/run/user/\(getuid())" }
}
