// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi doctor`: looks for what would keep the program from its work, and says what to do.
enum Doctor {
  struct Options: Sendable, Equatable {
    var trigger: Trigger?
  }

  static let command: Command = Command(
    "doctor",
    "Diagnose problems and suggest fixes",
    discussion: """
      Changes nothing, sends no prompt and starts no agent. What it looks at:

      \(HealthCheck.allCases.map { "  \(Self.padded($0.rawValue)) \($0.summary)" }.joined(separator: "\n"))

      With --as it does the same as a job of cron, a unit that udev starts or a key of the desktop \
      would: this program is run once more with that trigger's environment, and variables that are set \
      here and missing there are named. For cron that is what crontab sets above its jobs, too, whose \
      lines are looked at; for udev what the user's systemd manager says; for a key what the running \
      desktop was started with, or a guess where there is none.

      Only a fault makes it fail, with the status of the first one. In a pipe each line has state, \
      check, finding and remedies, with tabs between them.
      """,
    examples: [
      CommandExample("oppi doctor", "Here and now"),
      CommandExample("oppi doctor --as cron", "What a job of cron would run into"),
    ],
    exitStatuses: [0, 65, 66, 69, 73, 74, 75, 76, 77, 78],
    members: DoctorReport.shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .option("as", \.trigger, "Look as such a trigger would")
    ],
    run: run
  )

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(0, 14 - name.count))
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let width = context.console.policy.width
    let subject = CheckedProgram(in: context, for: options.trigger)
    guard let trigger = options.trigger else {
      let findings = await HealthCheck.observations(of: subject).flatMap(subject.findings)
      try Task.checkCancellation()
      return DoctorReport(findings: findings).report(width: width)
    }
    let environment = await context.intents.environment(
      of: trigger,
      program: context.programName,
      commands: Set(OppiTable.commands.map(\.name))
    )
    let findings = try await findings(in: environment, of: subject)
    return DoctorReport(findings: findings, environment: environment).report(width: width)
  }

  /// What is found here about the environment of a trigger, then what the program finds in it.
  private static func findings(
    in environment: TriggerEnvironment,
    of subject: CheckedProgram
  ) async throws -> [Finding] {
    let options = subject.context.options
    let words =
      [DoctorThere.command.name, environment.trigger.rawValue, "--json"]
      + (options.server.map { ["--server=\($0)"] } ?? [])
      + (options.timeout.map { ["--timeout=\($0.milliseconds)ms"] } ?? [])
    let elsewhere = DoctorElsewhere(environment, in: subject.intents)
    let (known, outcome) = try await elsewhere.run(words)
    let findings = known.flatMap(subject.findings)
    guard let outcome else { return findings }
    guard let json = try? JSONValue(parsing: outcome.output),
      let found = json["findings"].array?.compactMap(Finding.init(json:)), !found.isEmpty
    else { throw OppiError.brokenChecks(outcome) }
    return findings + found
  }
}

/// `oppi __doctor`: what `oppi doctor --as` runs in the other environment.
enum DoctorThere {
  struct Options: Sendable, Equatable {
    var trigger = Trigger.cron
  }

  static let command: Command = Command(
    "__doctor",
    "Make the checks of 'oppi doctor' for a trigger",
    isHidden: true,
    options: Options(),
    arguments: [.positional("trigger", required: true, \.trigger, "What has started it")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let subject = CheckedProgram(in: context, for: options.trigger)
    let findings = await HealthCheck.observations(of: subject).flatMap(subject.findings)
    return DoctorReport(findings: findings).report(width: context.console.policy.width)
  }
}
