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
}
