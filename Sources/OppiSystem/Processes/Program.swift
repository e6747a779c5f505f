// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Starts other programs, or replaces this one.
package enum Program {
  /// `POSIX_SPAWN_SETSID` of spawn.h, which Swift does not import.
  private static let setSession: Int32 = 0x80

  /// Starts a program in a session of its own, without the terminal, and does not wait for it.
  package static func startDetached(_ arguments: [String]) throws(SystemError) {
    _ = try spawn(arguments, flags: setSession) { actions in
      for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
    }
  }

  /// Starts a program with the signal dispositions of a new shell, and returns its process id.
  ///
  /// A name without a slash is searched on `PATH`. Without an environment, the program gets that of
  /// this program; `flags` are those of posix_spawnattr_setflags(3), and `connect` adds descriptors.
  static func spawn(
    _ arguments: [String],
    environment: [String: String]? = nil,
    flags: Int32,
    connect: (inout posix_spawn_file_actions_t) -> Void
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let all = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags
    posix_spawnattr_setflags(&attributes, Int16(all))
    var process = pid_t()
    let variables = environment?.map { "\($0.key)=\($0.value)" }
    let status = withWords(arguments) { words in
      guard let variables else {
        return posix_spawnp(&process, arguments[0], &actions, &attributes, words, environ)
      }
      return withWords(variables) { variables in
        posix_spawnp(&process, arguments[0], &actions, &attributes, words, variables)
      }
    }
    guard status == 0 else { throw SystemError("posix_spawn", code: status) }
    return process
  }

  /// Executes this program again with other arguments and its name; returns only on failure.
  package static func become(_ arguments: [String], as name: String) -> SystemError {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigprocmask(SIG_SETMASK, &signals, nil)
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    withWords([name] + arguments) { words in _ = execv("/proc/self/exe", words) }
    return SystemError("execv")
  }

  /// The path of this program's file.
  package static func ownPath() -> String {
    realPath("/proc/self/exe") ?? "oppi"
  }

  /// The absolute path of this program, as found by the word with which it was called.
  ///
  /// Symbolic links in the path are kept, because they stay valid after an update. If the word
  /// leads to another file, the path of the program's own file is returned.
  package static func path(calledAs word: String?, environment: [String: String]) -> String {
    let own = ownPath()
    guard let word, let found = find(word, path: environment["PATH"] ?? ""),
      realPath(found) == own
    else { return own }
    let isPlain = !found.split(separator: "/").contains { $0 == "." || $0 == ".." }
    if found.hasPrefix("/"), isPlain { return found }
    guard let folder = realPath(FileStore.parent(of: found)) else { return own }
    return "\(folder)/\(FileStore.name(of: found))"
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The file for a name: itself if it contains a slash, else the first match on the path.
  package static func find(_ name: String, path: String) -> String? {
    if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Passes words as a C array that ends with a null pointer.
  private static func withWords<Result>(
    _ words: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}

package protocol ProgramAccess: Sendable {
  /// Whether a program with this name or path exists.
  func has(_ name: String) -> Bool

  /// Whether a program exists on another search path.
  func has(_ name: String, path: String) -> Bool

  /// Runs a program to its end, as ``ChildProcess/run(on:until:)`` does.
  func run(
    _ program: ChildProcess,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome

  /// Starts a program without waiting for it, as ``Program/startDetached(_:)`` does.
  func startDetached(_ arguments: [String]) throws(SystemError)
}

/// The programs on the `PATH` of an environment.
package struct SystemPrograms: ProgramAccess {
  private let path: String

  package init(environment: [String: String]) {
    path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  }

  package func has(_ name: String) -> Bool { has(name, path: path) }

  package func has(_ name: String, path: String) -> Bool {
    Program.find(name, path: path) != nil
  }

  package func run(
    _ program: ChildProcess,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome {
    try await program.run(on: loop, until: deadline)
  }

  package func startDetached(_ arguments: [String]) throws(SystemError) {
    try Program.startDetached(arguments)
  }
}

/// The running programs according to proc(5), which may hide those of other users.
package struct RunningPrograms: Sendable {
  package struct Process: Sendable, Equatable {
    package var id: Int32
    /// The first 15 bytes of the program's name.
    package var name: String
  }

  private let files: FileStore

  package init(files: FileStore) {
    self.files = files
  }

  /// Whether the programs of other users are visible.
  package var areAllSeen: Bool { read("comm", of: 1) != nil }

  /// Returns a running program with the first matching name.
  package func first(of names: [String]) -> Process? {
    let numbers = ((try? files.names(in: "/proc")) ?? []).compactMap(Int32.init).sorted()
    let running = numbers.compactMap { number -> Process? in
      guard let bytes = read("comm", of: number) else { return nil }
      let name = bytes.prefix { $0 != UInt8(ascii: "\n") }
      return Process(id: number, name: String(decoding: name, as: UTF8.self))
    }
    return names.lazy.compactMap { name in running.first { $0.name == name } }.first
  }

  /// Returns the initial environment of a program; `nil` if it is not readable.
  package func variables(of process: Process) -> [String: String]? {
    read("environ", of: process.id).map { bytes in
      ProcessEnvironment.variables(in: bytes.split(separator: 0))
    }
  }

  private func read(_ name: String, of number: Int32) -> [UInt8]? {
    (try? files.read("/proc/\(number)/\(name)", privacy: .untrusted)).flatMap(\.self)
  }
}
