// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

enum HealthFact: Sendable {
  /// The checked thing has an error, or the check itself failed.
  case failed(any Error)
  case unanswered(after: Duration)

  // MARK: The program and its files

  case program(path: String)
  /// The program's name is not found on `PATH`.
  case notOnPath(path: String)
  /// Settings and state, in these two folders, are in order.
  case filesInOrder(config: String, state: String)
  /// The number of shortcuts, and the errors of defective ones.
  case shortcuts(count: Int, defects: [(name: ShortcutName, error: any Error)])

  // MARK: Servers

  /// A server that answers, and its response time.
  case answers(PairedServer, after: Duration)
  /// A server on another machine without TLS.
  case exposed(PairedServer)
  /// The difference between a server's clock and this machine's; positive if this machine is
  /// behind.
  case clockOffset(Duration, PairedServer)
  /// A workspace that is near the server's default limit of loaded sessions.
  case crowdedWorkspace(name: String, count: Int)
  case crowdedServer(PairedServer, count: Int)
  /// A server whose tools run without approval, unless an extension asks.
  case noGate(PairedServer)
  /// This machine's device, as the server lists it.
  case device(name: String, PairedServer)
  /// A server that does not list this machine's device, or has no key of it.
  case unknownDevice(PairedServer)

  // MARK: Queued prompts and schedules

  case emptyOutbox
  case waitingPrompts(count: Int, PromptDeliverer)
  /// Queued prompts in a final state, `failed` or `unknown`.
  case endedPrompts(count: Int, state: String)
  /// The number of schedules, none of which has a defect.
  case schedules(count: Int)
  /// A schedule that its backend does not have.
  case unwatched(Schedule)
  /// A systemd schedule without a running user manager.
  case unmanaged(Schedule)
  case lastRun(ScheduleRun, of: Schedule)
  case noCronDaemon

  // MARK: The desktop and the machine

  case watch(WatchState)
  case systemd(Systemd)
  case notifications(hasButtons: Bool)
  case noNotifications(because: any Error)
  case terminal(command: [String])
  case noTerminal
  case mail(program: String)
  case noMail(program: String)
  case completions(shell: String, path: String)
  case noCompletions(shell: String)
  case outdatedCompletions(path: String)
  case unreadableCompletions(FileError)

  enum WatchState: Sendable, Equatable {
    case running
    /// Running, but without a snapshot yet.
    case starting
    /// Running, but without a new snapshot since then; `now` is the time of the check.
    case stuck(since: Timestamp, now: Timestamp)
    case absent
  }

  enum Systemd: Sendable, Equatable {
    /// systemd is not running.
    case notRunning
    case noManager
    case lingers
    /// The manager exits with the last login session.
    case endsWithLogin
  }

  // MARK: The environment of a trigger

  case crontab(CrontabDefect)
  case noCrontabProgram
  case silentCrontabProgram
  case unreadableShortcuts(FileError)
  /// The user manager, which would start the unit, does not answer.
  case silentManager
  case variable(VariableDifference)
  case notStarted(path: String, SystemError)
  /// The checks in that environment did not finish in time.
  case unended(after: Duration)
}

extension HealthFact {
  struct Observation: Sendable {
    let check: String
    let fact: HealthFact
  }
}

/// What the checks need besides an ``IntentContext``, from the layers above.
protocol DoctorSubject: Sendable {
  var intents: IntentContext { get }
  /// What starts the program; `nil` for a user at a shell.
  var trigger: Trigger? { get }
  var programName: String { get }
  /// The background units that setup installs; the first does the work of all others.
  var backgroundUnits: [UserManager.Unit] { get }

  /// The paired servers to check.
  func servers() throws -> [PairedServer]

  func shortcuts() throws -> [ShortcutName]

  /// The workspace in a shortcut's file, if any.
  func workspace(of shortcut: ShortcutName) throws -> String?

  /// The words of `notify.command`; `nil` if it is not set.
  func notifyCommand() throws -> [String]?

  /// A shell's completion script, and the paths where the shell looks for it; `nil` for a shell
  /// without completions.
  func completion(for shell: String) -> (script: String, places: [String])?
}

/// Runs this program's checks in the environment of a trigger.
struct DoctorElsewhere: Sendable {
  /// Above the limit of the checks themselves.
  private static let limit = Duration.seconds(20)

  private let environment: TriggerEnvironment
  private let context: IntentContext

  init(_ environment: TriggerEnvironment, in context: IntentContext) {
    (self.environment, self.context) = (environment, context)
  }

  /// Runs the program in that environment.
  ///
  /// Returns the observations about the environment itself, and the program's outcome. The outcome
  /// is `nil` if the program did not finish; an observation then says so.
  ///
  /// - Throws: `CancellationError`.
  func run(
    _ arguments: [String]
  ) async throws -> (known: [HealthFact.Observation], outcome: ChildProcess.Outcome?) {
    var known = environment.observations + environment.differences(in: context)
    let path = context.programPath()
    var process = ChildProcess(arguments: [path] + arguments)
    process.environment = environment.variables
    process.errors = .collected
    let deadline = context.loop.now + Self.limit
    let fact: HealthFact
    do throws(ChildProcess.Failure) {
      return (known, try await context.programs.run(process, on: context.loop, until: deadline))
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .cannotStart(let cause): fact = .notStarted(path: path, cause)
      case .timedOut, .tooMuchOutput: fact = .unended(after: Self.limit)
      }
    }
    known.append(HealthFact.Observation(check: "program", fact: fact))
    return (known, nil)
  }
}
