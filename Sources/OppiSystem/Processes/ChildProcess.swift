// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Another program, run to its end.
package struct ChildProcess: Sendable {
  /// The program and its arguments; a name without a slash is looked for on `PATH`.
  package var arguments: [String]
  /// What it reads from standard input.
  package var input: [UInt8] = []
  /// More output than this is refused.
  package var outputLimit = 1 << 20
  /// Whether what it says to standard output goes nowhere.
  package var isOutputDiscarded = false
  /// Where what it says to standard error goes.
  package var errors = Errors.inherited
  /// All its variables; those of this program where `nil`.
  package var environment: [String: String]?
  /// Whether it stays in this program's job, as one must that takes the keys of its terminal: past the
  /// deadline or when cancelled it is asked to end first, so that it can give the terminal back.
  package var takesTerminal = false

  /// How long a program may take to give the terminal back.
  private static let patience = Duration.milliseconds(500)

  /// Where a program's standard error goes.
  package enum Errors: Sendable {
    /// To the caller's own.
    case inherited
    case discarded
    /// Into the outcome.
    case collected
  }

  package init(arguments: [String]) {
    self.arguments = arguments
  }

  /// What the program said and how it ended.
  package struct Outcome: Sendable {
    package var output: [UInt8]
    /// What it said to standard error, where that was collected.
    package var errors: [UInt8]
    /// The exit status, or 128 and the signal's number.
    package var status: Int32

    package init(output: [UInt8] = [], errors: [UInt8] = [], status: Int32) {
      (self.output, self.errors, self.status) = (output, errors, status)
    }
  }

  /// Why a program could not be run to its end.
  package enum Failure: Error, Equatable {
    case cannotStart(SystemError)
    case timedOut
    case tooMuchOutput
    case cancelled
  }

  /// Runs the program, hands it its input, and collects what it says until it ends; a child of its
  /// own that goes on with its output is not waited for.
  ///
  /// Past the deadline or when cancelled the program and its children are killed.
  package func run(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> Outcome {
    var streams: ChildStreams
    let process: pid_t
    do {
      streams = try ChildStreams(
        input: input,
        collectsErrors: errors == .collected,
        limit: outputLimit
      )
      process = try spawn(streams)
    } catch {
      throw .cannotStart(error)
    }
    streams.leaveToChild()
    do throws(Failure) {
      let end = try ProcessEnd(of: process)
      try await streams.run(on: loop, until: deadline, or: end)
      return Outcome(output: streams.output, errors: streams.errors, status: Self.reap(process))
    } catch {
      if takesTerminal { await Self.askToEnd(process, on: loop) }
      kill(takesTerminal ? process : -process, SIGKILL)
      _ = Self.reap(process)
      throw error
    }
  }

  /// Returns once the program has ended, or had the time to.
  private static func askToEnd(_ process: pid_t, on loop: EventLoop) async {
    kill(process, SIGTERM)
    guard let end = try? ProcessEnd(of: process) else { return }
    // The task itself may be cancelled by now.
    await Task(executorPreference: loop) {
      _ = try? await loop.wait(for: [.readable(end.descriptor)], until: loop.now + patience)
    }
    .value
  }

  private func spawn(_ streams: ChildStreams) throws(SystemError) -> pid_t {
    // Where this program was started with SIGCHLD ignored, the kernel would throw the status away.
    signal(SIGCHLD, SIG_DFL)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(streams, in: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own can be killed as a whole.
    posix_spawnattr_setpgroup(&attributes, 0)
    Program.setFreshSignals(&attributes, flags: takesTerminal ? 0 : POSIX_SPAWN_SETPGROUP)
    var process = pid_t()
    let variables = environment?.map { "\($0.key)=\($0.value)" }
    let status = Program.withWords(arguments) { words in
      guard let variables else {
        return posix_spawnp(&process, arguments[0], &actions, &attributes, words, environ)
      }
      return Program.withWords(variables) { variables in
        posix_spawnp(&process, arguments[0], &actions, &attributes, words, variables)
      }
    }
    guard status == 0 else { throw SystemError("posix_spawn", code: status) }
    return process
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
    } else {
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

  /// Takes the status of a program that has ended, or is about to.
  private static func reap(_ process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

/// The end of a child process as something that a loop can wait for: `pidfd_open` of Linux 5.3.
final class ProcessEnd: Sendable {
  /// Readable once the process has ended.
  let descriptor: Int32

  private typealias SystemCall = @convention(c) (Int, Int, Int) -> Int

  /// The number of the call, the same on all machines.
  private static let pidfdOpen = 434

  init(of process: pid_t) throws(ChildProcess.Failure) {
    // syscall(2) has a variable number of arguments, which Swift does not show.
    let call = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
    descriptor = Int32(truncatingIfNeeded: call?(Self.pidfdOpen, Int(process), 0) ?? -1)
    guard descriptor >= 0 else { throw .cannotStart(SystemError("pidfd_open")) }
  }

  deinit {
    close(descriptor)
  }
}
