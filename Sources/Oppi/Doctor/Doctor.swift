// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// `oppi doctor`: diagnoses problems and suggests fixes.
enum Doctor {
  struct Options: Sendable, Equatable {
    var trigger: Trigger?
  }

  static let command: Command = Command(
    "doctor",
    "Diagnose problems and suggest fixes",
    discussion: """
      Changes nothing, sends no prompt and starts no agent. It checks:

      \(HealthCheck.all.map { "  \(padded($0.name)) \($0.summary)" }.joined(separator: "\n"))

      With --as the same checks run with the environment of a cron job, of a unit started by \
      udev, or of a hotkey: the program is run again with that trigger's environment, and \
      differences are listed. For cron this includes the variables of the crontab, whose lines \
      are also checked; for udev the environment is that of the systemd user manager; for a \
      hotkey that of the running desktop, or a guess if there is none.

      The status is that of the first fault, else 0. In a pipe each line has state, check, \
      finding and fixes, separated by tabs.
      """,
    examples: [
      ("oppi doctor", "Check the current environment"),
      ("oppi doctor --as cron", "Check the environment of a cron job"),
    ],
    exitStatuses: [0, 65, 66, 69, 73, 74, 75, 76, 77, 78],
    members: DoctorReport.others.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .option("as", \.trigger, "Check with that trigger's environment")
    ],
    run: run
  )
  .listing([DoctorReport.list])

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(0, 14 - name.count))
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let program = CheckedProgram(context: context, trigger: options.trigger)
    guard let trigger = options.trigger else {
      let findings = await HealthCheck.findings(of: program)
      try Task.checkCancellation()
      return DoctorReport(findings: findings).report(in: context)
    }
    let environment = await context.services.environment(of: trigger, program: context.programName)
    let findings = try await environment.findings(in: context)
    return DoctorReport(findings: findings, environment: environment).report(in: context)
  }
}

/// `oppi __doctor`: the checks that `oppi doctor --as` runs in the other environment.
enum DoctorThere {
  struct Options: Sendable, Equatable {
    @Required var trigger: Trigger
  }

  static let command: Command = Command(
    "__doctor",
    "Run the checks of 'oppi doctor' for a trigger",
    isHidden: true,
    options: Options(),
    arguments: [.positional("trigger", \.$trigger, "The trigger")],
    run: { options, context in
      let program = CheckedProgram(context: context, trigger: options.trigger)
      return DoctorReport(findings: await HealthCheck.findings(of: program)).report(in: context)
    }
  )
}

struct DoctorReport: Sendable {
  var findings: [Finding]
  /// The environment of `--as`; `nil` for the current one.
  var environment: TriggerEnvironment?

  /// The report, with lines wrapped to the width.
  func report(in context: Context) -> Report {
    let width = context.output.policy.width
    return Self.list.report(
      findings,
      in: context,
      others: Self.others.object(of: self),
      text: .lines(lines.flatMap { $0.line.folded(to: width, indent: $0.indent) }),
      status: environment.map { StyledText($0.summary, .dim) },
      failure: failure
    )
  }

  /// Each finding with its hints on the lines below, and the indent of wrapped rows.
  private var lines: [(line: StyledText, indent: Int)] {
    findings.flatMap { finding in
      var line = finding.gravity.mark
      line.append(" \(finding.check): ", .name)
      line.append(finding.message)
      return [(line, 9)] + finding.hints.map { (StyledText("         hint: \($0)", .dim), 15) }
    }
  }

  private var failure: OppiError? {
    let faults = findings.filter { $0.gravity == .fault }
    guard let first = faults.first else { return nil }
    let place = environment.map { " \($0.trigger.place)" } ?? ""
    return OppiError(
      first.code ?? .badConfiguration,
      "\(faults.count.counted("fault")) found\(place)"
    )
  }

  static let list = Listing<Finding>(
    "doctor",
    formerly: "findings",
    "The findings",
    Finding.shape,
    pipe: ["state", "check", "message", .text { $0.hints.joined(separator: "; ") }]
  )

  static let others: JSONShape<DoctorReport> = [
    .object("as", "The environment of --as", TriggerEnvironment.shape) { $0.environment }
  ]
}

extension Finding.Gravity {
  /// The word at the start of a line, padded to a common width.
  fileprivate var mark: StyledText {
    switch self {
    case .ok: StyledText("ok      ", .success)
    case .note: StyledText("note    ", .dim)
    case .warning: StyledText("warning ", .warning)
    case .fault: StyledText("fault   ", .error)
    }
  }
}
