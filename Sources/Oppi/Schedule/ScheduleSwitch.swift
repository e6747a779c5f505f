// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleEnable {
  static let command: Command = Schedules.verb(
    "enable",
    "Resume a schedule",
    discussion: "Slots that passed while it was disabled do not count as missed.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    try await SwitchSchedule(name, in: context.intents).enable().report(as: "enabled")
  }
}

enum ScheduleDisable {
  static let command: Command = Schedules.verb(
    "disable",
    "Pause a schedule",
    discussion: "An active run is not stopped.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    try await SwitchSchedule(name, in: context.intents).disable().report(as: "disabled")
  }
}

extension ScheduleOutlook {
  fileprivate func report(as word: String) -> Report {
    let name = record.schedule.name
    return Report(
      ScheduleRow.shape.document(of: self),
      status: StyledText("\(word) \(name)"),
      notes: next?.isEmpty == true ? [.warning("\(name) has no further runs")] : []
    )
  }
}

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

/// `oppi schedule pause` and `oppi schedule resume`: one schedule, or all of them.
enum SchedulePause {
  struct Options: Sendable, Equatable {
    var isAll = false
    var name: [ShortcutName] = []
  }

  enum Change: Sendable {
    case pause
    case resume
  }

  static let pause: Command = Command(
    "pause",
    "Pause schedules",
    discussion: """
      Active runs are not stopped. With --all every enabled schedule is paused; 'oppi schedule \
      resume --all' resumes exactly those.
      """,
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: shape.rows,
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
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: shape.rows,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: { options, context in try await run(options, .resume, in: context) }
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

  private static func run(
    _ options: Options,
    _ change: Change,
    in context: Context
  ) async throws -> Report {
    let (names, defects) = try await names(options, change, in: context)
    var changed: [ScheduleOutlook] = []
    var failures = defects.map { OppiError($0) }
    for name in names {
      let flow = SwitchSchedule(name, in: context.intents)
      do {
        switch change {
        case .pause: changed.append(try await flow.disable(withAll: options.isAll))
        case .resume: changed.append(try await flow.enable())
        }
      } catch {
        guard options.isAll || options.name.count > 1 else { throw error }
        failures.append(OppiError(error))
      }
    }
    let word = change == .pause ? "paused" : "resumed"
    let rows = changed
    let list = rows.map(\.record.schedule.name).joined(separator: ", ")
    return Report(
      shape.document(of: rows),
      status: StyledText(rows.isEmpty ? "no schedules \(word)" : "\(word) \(list)"),
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

  private static let shape: JSONShape<[ScheduleOutlook]> = [
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
