// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem
import OppiTerminal

enum ScheduleRemove {
  static let command: Command = Schedules.verb(
    "remove",
    "Remove a schedule, but keep the shortcut",
    discussion: """
      The records of its runs are also removed. An active run is not stopped. A unit that was \
      changed after oppi wrote it is not removed, and is listed.
      """,
    exitStatuses: [0, 64, 66, 69, 73, 74, 78],
    members: shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let left = try await SwitchSchedule(name, in: context.intents).remove()
    return Report(
      shape.document(of: name),
      status: StyledText("removed the schedule of \(name.text)"),
      notes: left.map { .warning("\($0) was changed after oppi wrote it; not modified") }
    )
  }

  private static let shape: JSONShape<ShortcutName> = [
    .text("name", "The shortcut whose schedule was removed") { $0.text }
  ]
}

/// `oppi schedule pause` and `oppi schedule resume`: one schedule, several or all of them.
///
/// Their other names, `disable` and `enable`, take one schedule, which is the JSON document.
enum ScheduleSwitch {
  struct Options: Sendable, Equatable {
    var isAll = false
    var name: [ShortcutName] = []
  }

  private enum Change: Sendable {
    case pause
    case resume

    /// What was done, in one word.
    var word: String { self == .pause ? "paused" : "resumed" }

    func apply(
      to name: ShortcutName,
      withAll isAll: Bool = false,
      in context: Context
    ) async throws -> ScheduleOutlook {
      let flow = SwitchSchedule(name, in: context.intents)
      return switch self {
      case .pause: try await flow.disable(withAll: isAll)
      case .resume: try await flow.enable()
      }
    }
  }

  private static let exitStatuses: [Int32] = [0, 64, 66, 69, 74, 78]

  static let pause: Command = Command(
    "pause",
    "Pause schedules",
    discussion: """
      Active runs are not stopped. With --all every enabled schedule is paused; 'oppi schedule \
      resume --all' resumes exactly those.
      """,
    exitStatuses: exitStatuses,
    members: changed.rows,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: { options, context in try await run(options, .pause, in: context) }
  )

  static let resume: Command = Command(
    "resume",
    "Resume schedules",
    discussion: """
      Slots that passed meanwhile do not count as missed. --all resumes the schedules that \
      'oppi schedule pause --all' has paused, but not those that were paused one by one.
      """,
    exitStatuses: exitStatuses,
    members: changed.rows,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: { options, context in try await run(options, .resume, in: context) }
  )

  static let disable: Command = Schedules.verb(
    "disable",
    "Pause a schedule",
    discussion: "The same as 'oppi schedule pause NAME'. An active run is not stopped.",
    exitStatuses: exitStatuses,
    members: ScheduleRow.shape.rows,
    run: { name, context in try await report(.pause, name, in: context) }
  )

  static let enable: Command = Schedules.verb(
    "enable",
    "Resume a schedule",
    discussion: """
      The same as 'oppi schedule resume NAME'. Slots that passed meanwhile do not count as missed.
      """,
    exitStatuses: exitStatuses,
    members: ScheduleRow.shape.rows,
    run: { name, context in try await report(.resume, name, in: context) }
  )

  private static let arguments: [Argument<Options>] = [
    .flag("all", \.isAll, "Include all schedules"),
    .positional("name", completion: .dynamic("schedule"), \.name, "The shortcut's name"),
  ]

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    guard options.isAll == options.name.isEmpty else {
      throw UsageError(.custom("give the name of a schedule, or --all"))
    }
  }

  /// Changes one schedule, which is the document.
  private static func report(
    _ change: Change,
    _ name: ShortcutName,
    in context: Context
  ) async throws -> Report {
    let outlook = try await change.apply(to: name, in: context)
    return Report(
      ScheduleRow.shape.document(of: ScheduleRow(outlook)),
      status: StyledText("\(change.word) \(name.text)"),
      notes: outlook.next?.isEmpty == true ? [.warning("\(name.text) has no further runs")] : []
    )
  }

  private static func run(
    _ options: Options,
    _ change: Change,
    in context: Context
  ) async throws -> Report {
    let (names, defects) = try await names(options, change, in: context)
    var outlooks: [ScheduleOutlook] = []
    var failures = defects.map { OppiError($0) }
    for name in names {
      do {
        outlooks.append(try await change.apply(to: name, withAll: options.isAll, in: context))
      } catch {
        guard options.isAll || options.name.count > 1 else { throw error }
        failures.append(OppiError(error))
      }
    }
    let rows = outlooks.map(ScheduleRow.init)
    let list = outlooks.map(\.record.schedule.name).joined(separator: ", ")
    return Report(
      changed.document(of: rows),
      status: StyledText(rows.isEmpty ? "no schedules \(change.word)" : "\(change.word) \(list)"),
      notes: failures.dropFirst().map { .warning($0.message) },
      failure: failures.first
    )
  }

  /// The schedules to change, and why others cannot be read.
  private static func names(
    _ options: Options,
    _ change: Change,
    in context: Context
  ) async throws -> ([ShortcutName], [any Error]) {
    guard options.isAll else { return (options.name, []) }
    let (schedules, defects) = try await context.intents.readSchedules { $0.schedule }
    let wanted = schedules.filter { schedule in
      switch change {
      case .pause: schedule.isEnabled
      case .resume: !schedule.isEnabled && schedule.isPausedWithAll
      }
    }
    return (wanted.compactMap { ShortcutName($0.name) }, defects)
  }

  private static let changed: JSONShape<[ScheduleRow]> = [
    .list("schedules", "The schedules that were changed", ScheduleRow.shape) { $0 }
  ]
}

/// The name of a schedule: a shortcut's, or one that a server runs itself.
enum ScheduleReference: Sendable, Hashable {
  case shortcut(ShortcutName)
  /// A server's name, and the id or name of its schedule.
  case server(String, schedule: String)
}

extension ScheduleReference: ArgumentValue {
  static var placeholder: String { "NAME" }

  init(argument: String) throws(ArgumentValueError) {
    // The name of a server has no slash; that of its schedule may have some.
    guard let slash = argument.firstIndex(of: "/") else {
      self = .shortcut(try ShortcutName(argument: argument))
      return
    }
    let schedule = argument[argument.index(after: slash)...]
    guard slash > argument.startIndex, !schedule.isEmpty else {
      throw ArgumentValueError("expects a shortcut's name, or SERVER/NAME")
    }
    self = .server(String(argument[..<slash]), schedule: String(schedule))
  }
}
