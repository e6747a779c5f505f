// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Another program, run to its end.
package struct ChildProcess: Sendable {
  /// The program and its arguments; a name without a slash is searched on `PATH`.
  package var arguments: [String]
  package var input: [UInt8] = []
  /// In bytes; more output is an error.
  package var outputLimit = 1 << 20
  package var isOutputDiscarded = false
  /// Whether the output goes to this program's standard output, a terminal that is lent to the
  /// program.
  package var isOutputInherited = false
  package var errors = Errors.inherited
  /// All environment variables; `nil` for those of this program.
  package var environment: [String: String]?
  /// The folder in which the program starts; `nil` for that of this program.
  ///
  /// If it does not exist, the exit status is not 0.
  package var folder: String?
  /// Whether the program stays in this program's process group, as it must to read keys from the
  /// terminal: after the deadline or a cancellation it is first asked to exit, so that it can
  /// restore the terminal.
  package var takesTerminal = false

  package enum Errors: Sendable {
    /// Goes to this program's standard error.
    case inherited
    case discarded
    /// Collected in the outcome.
    case collected
  }

  package init(arguments: [String]) {
    self.arguments = arguments
  }

  package struct Outcome: Sendable {
    package var output: [UInt8]
    /// The standard error, if collected.
    package var errors: [UInt8]
    /// The exit status, or 128 plus the signal number.
    package var status: Int32

    package init(output: [UInt8] = [], errors: [UInt8] = [], status: Int32) {
      (self.output, self.errors, self.status) = (output, errors, status)
    }
  }

  package enum Failure: Error, Equatable {
    case cannotStart(SystemError)
    case timedOut
    case tooMuchOutput
    case cancelled
  }

  /// Runs the program with its input and collects its output until it exits; does not wait for its
  /// children that keep the output open.
  ///
  /// After the deadline or a cancellation, the program and its children are killed.
  package func run(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> Outcome {
    let loan = isOutputInherited ? TerminalLoan(descriptor: STDOUT_FILENO) : nil
    var wasCutOff = false
    defer { loan?.end(wasCutOff: wasCutOff) }
    var streams: ChildStreams
    let child: RunningChild
    do {
      streams = try ChildStreams(
        input: input,
        collectsErrors: errors == .collected,
        limit: outputLimit
      )
      child = RunningChild(id: try spawn(streams))
    } catch {
      throw .cannotStart(error)
    }
    streams.leaveToChild()
    do throws(Failure) {
      try await streams.run(on: loop, until: deadline, or: try end(of: child))
      return Outcome(output: streams.output, errors: streams.errors, status: child.reap())
    } catch {
      wasCutOff = true
      if takesTerminal { await child.askToEnd(on: loop) }
      kill(takesTerminal ? child.id : -child.id, SIGKILL)
      _ = child.reap()
      throw error
    }
  }

  private func end(of child: RunningChild) throws(Failure) -> ProcessEnd {
    do {
      return try ProcessEnd(of: child)
    } catch {
      throw .cannotStart(error)
    }
  }

  private func spawn(_ streams: ChildStreams) throws(SystemError) -> pid_t {
    // If SIGCHLD is ignored at the start of this program, the kernel discards the exit status.
    signal(SIGCHLD, SIG_DFL)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(streams, in: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A process group of its own can be killed as a whole.
    posix_spawnattr_setpgroup(&attributes, 0)
    Program.setFreshSignals(&attributes, flags: takesTerminal ? 0 : POSIX_SPAWN_SETPGROUP)
    var process = pid_t()
    let variables = environment?.map { "\($0.key)=\($0.value)" }
    let started = startedWords
    let status = Program.withWords(started) { words in
      guard let variables else {
        return posix_spawnp(&process, started[0], &actions, &attributes, words, environ)
      }
      return Program.withWords(variables) { variables in
        posix_spawnp(&process, started[0], &actions, &attributes, words, variables)
      }
    }
    guard status == 0 else { throw SystemError("posix_spawn", code: status) }
    return process
  }

  /// The shell changes the folder: that of this program belongs to all threads.
  private var startedWords: [String] {
    guard let folder else { return arguments }
    return ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder] + arguments
  }

  private func connect(
    _ streams: ChildStreams,
    in actions: inout posix_spawn_file_actions_t
  ) {
    if let input = streams.inputEnd {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if isOutputDiscarded {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    } else if !isOutputInherited {
      posix_spawn_file_actions_adddup2(&actions, streams.outputEnd, STDOUT_FILENO)
    }
    switch errors {
    case .inherited: break
    case .discarded:
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    case .collected:
      if let end = streams.errorEnd {
        posix_spawn_file_actions_adddup2(&actions, end, STDERR_FILENO)
      }
    }
  }
}

/// The pipes to and from a child; none blocks another.
struct ChildStreams: Sendable {
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private var rest: ArraySlice<UInt8>
  private let limit: Int
  /// `nil` if there is nothing left to write.
  private var inputPipe: Pipe?
  private let outputPipe: Pipe
  private let errorPipe: Pipe?
  private var isOutputOpen = true
  private var areErrorsOpen: Bool

  init(input: [UInt8], collectsErrors: Bool, limit: Int) throws(SystemError) {
    rest = input[...]
    self.limit = limit
    inputPipe = input.isEmpty ? nil : try Pipe(blocksReader: true)
    outputPipe = try Pipe(blocksWriter: true)
    errorPipe = collectsErrors ? try Pipe(blocksWriter: true) : nil
    areErrorsOpen = collectsErrors
  }

  var inputEnd: Int32? { inputPipe?.readEnd }
  var outputEnd: Int32 { outputPipe.writeEnd }
  var errorEnd: Int32? { errorPipe?.writeEnd }

  /// Closes the child's ends in this process after the child has inherited them.
  func leaveToChild() {
    inputPipe?.closeReadEnd()
    outputPipe.closeWriteEnd()
    errorPipe?.closeWriteEnd()
  }

  mutating func run(
    on loop: EventLoop,
    until deadline: EventLoop.Instant,
    or end: ProcessEnd
  ) async throws(ChildProcess.Failure) {
    var hasEnded = false
    while !hasEnded {
      feed()
      do {
        hasEnded = try await loop.wait(for: interests(end), until: deadline) == 0
      } catch {
        throw error == .timedOut ? .timedOut : .cancelled
      }
      if isOutputOpen { isOutputOpen = try drain(outputPipe, into: \.output) }
      if areErrorsOpen, let errorPipe { areErrorsOpen = try drain(errorPipe, into: \.errors) }
    }
  }

  /// The descriptors to wait for, the end of the child first.
  private func interests(_ end: ProcessEnd) -> [EventLoop.Interest] {
    var interests = [EventLoop.Interest.readable(end.descriptor)]
    if let inputPipe { interests.append(.writable(inputPipe.writeEnd)) }
    if isOutputOpen { interests.append(.readable(outputPipe.readEnd)) }
    if areErrorsOpen, let errorPipe { interests.append(.readable(errorPipe.readEnd)) }
    return interests
  }

  /// It is not an error if the child does not read its input.
  private mutating func feed() {
    while let pipe = inputPipe {
      guard !rest.isEmpty else {
        inputPipe = nil
        return
      }
      switch pipe.write(rest) {
      case .written(let count): rest = rest.dropFirst(count)
      case .wouldBlock: return
      case .readerGone: inputPipe = nil
      }
    }
  }

  /// Reads all available bytes; returns false at the end.
  private mutating func drain(
    _ pipe: Pipe,
    into bytes: WritableKeyPath<ChildStreams, [UInt8]>
  ) throws(ChildProcess.Failure) -> Bool {
    while true {
      switch pipe.read() {
      case .bytes(let chunk): self[keyPath: bytes] += chunk
      case .endOfStream: return false
      case .wouldBlock: return true
      }
      guard self[keyPath: bytes].count <= limit else { throw .tooMuchOutput }
    }
  }
}

struct RunningChild: Sendable {
  let id: pid_t

  /// How long a program may take to restore the terminal.
  private static let patience = Duration.milliseconds(500)

  /// Asks the program to exit, and waits until it has exited or the time limit has passed.
  func askToEnd(on loop: EventLoop) async {
    kill(id, SIGTERM)
    guard let end = try? ProcessEnd(of: self) else { return }
    // The current task may already be cancelled.
    await Task(executorPreference: loop) {
      _ = try? await loop.wait(
        for: [.readable(end.descriptor)],
        until: loop.now + Self.patience
      )
    }
    .value
  }

  /// Waits for the exit status: 128 plus the signal number if a signal ended the program.
  func reap() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

/// The end of a child process as a descriptor for the loop: `pidfd_open` of Linux 5.3.
final class ProcessEnd: Sendable {
  /// Readable when the process has exited.
  let descriptor: Int32

  private typealias SystemCall = @convention(c) (Int, Int, Int) -> Int

  /// The system call number, the same on all architectures.
  private static let pidfdOpen = 434

  init(of child: RunningChild) throws(SystemError) {
    // syscall(2) is variadic, so Swift does not import it.
    let call = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
    descriptor = Int32(truncatingIfNeeded: call?(Self.pidfdOpen, Int(child.id), 0) ?? -1)
    guard descriptor >= 0 else { throw SystemError("pidfd_open") }
  }

  deinit {
    close(descriptor)
  }
}
