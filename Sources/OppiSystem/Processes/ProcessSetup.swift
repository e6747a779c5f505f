// SPDX-License-Identifier: MIT

import Glibc

/// What a process must have in order before it does anything else.
package enum ProcessSetup {
  /// Puts right what a caller may have left wrong.
  package static func perform() {
    // A reader that went away is an error of the write, not a signal.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that grows over the limit of the process.
    signal(SIGXFSZ, SIG_IGN)
    // The language's own crash reporter is a program that it looks for in relative folders, too,
    // and this one is meant to be run in folders of other people's making.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] {
      signal(number, SIG_DFL)
    }
    occupyStandardDescriptors()
  }

  /// Keeps the program's own files from taking the place of a standard stream that was closed.
  ///
  /// A closed input then has ended, and writing to a closed output fails.
  private static func occupyStandardDescriptors() {
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor) else {
        close(descriptor)
        return
      }
    }
  }

  /// The home folder of the user database, which may be far away: asked only where `HOME` is unset.
  package static func homeFolder() -> String {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
  }

  /// The user's name in the user database; `nil` where it has none.
  package static func userName() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
  }

  /// The folder that systemd gives this user for as long as they are logged in.
  package static func runtimeFolder() -> String { "/run/user/\(getuid())" }
}
