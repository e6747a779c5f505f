// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem

/// What a check of `oppi doctor` has found.
package enum HealthFact: Sendable {
  /// What it looks at has an error, or the check itself failed.
  case failed(any Error)
  case unanswered(after: Duration)

  // MARK: The program and its files

  /// The path of this program.
  case program(path: String)
  /// The program's name alone does not lead to it.
  case notOnPath(path: String)
  /// Settings in the one folder and state in the other are in order.
  case filesInOrder(config: String, state: String)
  /// The shortcuts, and the errors of those that have one.
  case shortcuts(count: Int, defects: [(name: ShortcutName, error: any Error)])

  // MARK: Servers

  /// A server that answers, and how long that took.
  case answers(PairedServer, after: Duration)
  /// A server on another machine that is reached without TLS.
  case exposed(PairedServer)
  /// The clock here differs from a server's; positive if it is behind.
  case clockOffset(Duration, PairedServer)
  /// A workspace with nearly as many loaded sessions as a server allows by default.
  case crowdedWorkspace(name: String, count: Int)
  case crowdedServer(PairedServer, count: Int)

  // MARK: Prompts that wait, and schedules

  /// Nothing is in the outbox.
  case emptyOutbox
  case waitingPrompts(count: Int, Deliverer)
  /// Queued prompts whose delivery ended in this state, which is `failed` or `unknown`.
  case endedPrompts(count: Int, state: String)
  /// Schedules without a defect.
  case schedules(count: Int)
  /// A schedule that its backend does not have.
  case unwatched(Schedule)
  /// A schedule of systemd without a user manager that runs.
  case unmanaged(Schedule)
  case lastRun(ScheduleRun, of: Schedule)
  case noCronDaemon

  /// What delivers the outbox.
  package enum Deliverer: Sendable, Equatable {
    case none
    /// It cannot be seen from here.
    case unknown
    case watch
    /// An enabled unit.
    case unit(String)
  }

  // MARK: The desktop and the machine

  case watch(WatchState)
  case systemd(Systemd)
  case notifications(hasButtons: Bool)
  case noNotifications(because: any Error)
  /// The command that opens a window.
  case terminal(command: [String])
  case noTerminal
  case mail(program: String)
  case noMail(program: String)
  case completions(shell: String, path: String)
  case noCompletions(shell: String)
  case outdatedCompletions(path: String)
  case unreadableCompletions(FileError)

  /// The state of `oppi watch`.
  package enum WatchState: Sendable, Equatable {
    case running
    /// It runs and has not written anything yet.
    case starting
    /// It runs and has not written anything since `moment`, seen at `now`.
    case stuck(since: Timestamp, now: Timestamp)
    case absent
  }

  /// The state of the user's systemd manager.
  package enum Systemd: Sendable, Equatable {
    /// systemd does not run this machine.
    case notRunning
    case noManager
    case lingers
    /// The manager ends with the last login.
    case endsWithLogin
  }

  // MARK: The environment of a trigger

  case crontab(CrontabDefect)
  case noCrontabProgram
  case silentCrontabProgram
  case unreadableShortcuts(FileError)
  /// No user manager answers, which would have to start the unit.
  case silentManager
  case variable(VariableDifference)
  /// The program does not start in that environment.
  case notStarted(path: String, SystemError)
  /// The checks in that environment did not end.
  case unended(after: Duration)
}

extension HealthFact {
  /// A fact with the name of the check that has found it.
  package struct Observation: Sendable {
    package let check: String
    package let fact: HealthFact
  }
}
