// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiWire

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

/// Identifies the temporary files of one running process.
package struct ProcessIdentity: Sendable {
  package let id: Int32
  package let isAlive: @Sendable (Int32) -> Bool

  package init(id: Int32, isAlive: @escaping @Sendable (Int32) -> Bool) {
    self.id = id
    self.isAlive = isAlive
  }

  package static var current: ProcessIdentity {
    ProcessIdentity(id: getpid()) { kill($0, 0) == 0 || errno == EPERM }
  }
}

package enum ProcessArguments {
  /// The words, the program's name first; `nil` for a word that is not UTF-8.
  package static func current() -> [String?] {
    (0..<Int(CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
  }
}

package enum ProcessEnvironment {
  /// Returns all variables; bytes that are not UTF-8 are replaced.
  package static func current() -> [String: String] {
    var entries: [UnsafeRawBufferPointer] = []
    var entry = environ
    while let text = entry.pointee {
      entries.append(UnsafeRawBufferPointer(start: text, count: strlen(text)))
      entry += 1
    }
    return variables(in: entries)
  }

  /// Parses entries of the form `NAME=value`.
  ///
  /// This runs at every start: splitting bytes takes a tenth of the time of splitting strings.
  static func variables(in entries: [some Collection<UInt8>]) -> [String: String] {
    var variables: [String: String] = [:]
    for entry in entries {
      guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = entry[entry.index(after: sign)...]
      variables[String(decoding: entry[..<sign], as: UTF8.self)] =
        String(decoding: value, as: UTF8.self)
    }
    return variables
  }
}

/// The folder in which the program was started.
package struct WorkingDirectory: Sendable {
  /// The path in the shell's `PWD`, if valid, and the real path; empty if the folder was removed.
  package let paths: [FolderPath]
  /// The user's home folder, for `~`.
  package let home: String

  package init(paths: [String], home: String) {
    self.paths = paths.compactMap { FolderPath($0, home: home) }
    self.home = home
  }

  /// Determines the working directory.
  ///
  /// A shell keeps symbolic links of the path in `PWD`, which counts only if it leads to the same
  /// folder: programs that change the folder do not update it.
  package static func current(environment: [String: String]) -> WorkingDirectory {
    var paths: [String] = []
    if let shown = environment["PWD"], shown.hasPrefix("/"), isWorkingDirectory(shown) {
      paths.append(shown)
    }
    if let real = getcwd(nil, 0) {
      defer { free(real) }
      if let path = String(validatingCString: real), path != paths.first { paths.append(path) }
    }
    let ownHome = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return WorkingDirectory(paths: paths, home: ownHome ?? ProcessSetup.homeFolder())
  }

  private static func isWorkingDirectory(_ path: String) -> Bool {
    var (shown, real) = (stat(), stat())
    guard stat(path, &shown) == 0, stat(".", &real) == 0 else { return false }
    return (shown.st_dev, shown.st_ino) == (real.st_dev, real.st_ino)
  }
}

/// The name by which servers list this machine's devices.
package enum MachineName {
  /// The host name without its domain, and the program: `studio (oppi)`; at most 64 characters.
  package static var current: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return program }
    let name = bytes.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }
      .map { UInt8(bitPattern: $0) }
    let host = String(decoding: name.prefix(48), as: UTF8.self)
    return host.isEmpty ? program : "\(host) (\(program))"
  }

  private static let program = "oppi"
}

/// The signals that ask a program to exit, as events of the loop.
package struct EndSignals: Sendable {
  package enum Request: Sendable {
    /// The user pressed Ctrl-C.
    case interrupt
    /// The system asked, or the terminal was closed.
    case terminate
  }

  private let watcher: SignalWatcher

  /// Handles the signals from now on; they no longer end the program by default.
  package init(on loop: EventLoop) throws(SystemError) {
    watcher = try SignalWatcher([SIGINT, SIGTERM, SIGHUP], on: loop)
  }

  /// Waits for the next request; `nil` when the waiting task is cancelled.
  ///
  /// Ctrl-C in an editor that uses the terminal is ignored here.
  package func next() async -> Request? {
    while let signal = await watcher.next() {
      guard signal == SIGINT else { return .terminate }
      if !TerminalLoan.isLent { return .interrupt }
    }
    return nil
  }
}
