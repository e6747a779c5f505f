// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
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
    let left = try await context.services.removeSchedule(name)
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

  private static let exitStatuses: [Int32] = [0, 64, 66, 69, 74, 78]

  static let pause: Command = several(
    "pause",
    "Pause schedules",
    discussion: """
      Active runs are not stopped. With --all every enabled schedule is paused; 'oppi schedule \
      resume --all' resumes exactly those.
      """
  )

  static let resume: Command = several(
    "resume",
    "Resume schedules",
    discussion: """
      Slots that passed meanwhile do not count as missed. --all resumes the schedules that \
      'oppi schedule pause --all' has paused, but not those that were paused one by one.
      """
  )

  static let disable: Command = Schedules.verb(
    "disable",
    "Pause a schedule",
    discussion: "The same as 'oppi schedule pause NAME'. An active run is not stopped.",
    exitStatuses: exitStatuses,
    members: ScheduleOutlook.shape.rows,
    run: { name, context in try await one(name, pausing: true, in: context) }
  )

  static let enable: Command = Schedules.verb(
    "enable",
    "Resume a schedule",
    discussion: """
      The same as 'oppi schedule resume NAME'. Slots that passed meanwhile do not count as missed.
      """,
    exitStatuses: exitStatuses,
    members: ScheduleOutlook.shape.rows,
    run: { name, context in try await one(name, pausing: false, in: context) }
  )

  private static func several(
    _ word: String,
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String
  ) -> Command {
    Command(
      word,
      summary,
      discussion: discussion(),
      exitStatuses: exitStatuses,
      members: changed.rows,
      options: Options(),
      arguments: [
        .flag("all", \.isAll, "Include all schedules"),
        .positional("name", completion: .names(of: .schedule), \.name, "The shortcut's name"),
      ],
      validate: { (options) throws(UsageError) in
        guard options.isAll == options.name.isEmpty else {
          throw UsageError(.custom("give the name of a schedule, or --all"))
        }
      },
      run: { try await several($0, pausing: word == "pause", in: $1) }
    )
  }

  private static func change(
    _ name: ShortcutName,
    pausing: Bool,
    withAll isAll: Bool = false,
    in context: Context
  ) async throws -> ScheduleOutlook {
    pausing
      ? try await context.services.disableSchedule(name, withAll: isAll)
      : try await context.services.enableSchedule(name)
  }

  /// Changes one schedule, which is the document.
  private static func one(
    _ name: ShortcutName,
    pausing: Bool,
    in context: Context
  ) async throws -> Report {
    let outlook = try await change(name, pausing: pausing, in: context)
    return Report(
      ScheduleOutlook.shape.document(of: outlook),
      status: StyledText("\(pausing ? "paused" : "resumed") \(name.text)"),
      notes: outlook.next?.isEmpty == true ? [.warning("\(name.text) has no further runs")] : []
    )
  }

  private static func several(
    _ options: Options,
    pausing: Bool,
    in context: Context
  ) async throws -> Report {
    var (names, defects): ([ShortcutName], [any Error]) = (options.name, [])
    if options.isAll {
      let (schedules, unread) = try await context.services.readSchedules { $0.schedule }
      let wanted = schedules.filter { pausing ? $0.isEnabled : !$0.isEnabled && $0.isPausedWithAll }
      (names, defects) = (wanted.compactMap { ShortcutName($0.name) }, unread)
    }
    var outlooks: [ScheduleOutlook] = []
    var failures = defects.map { OppiError($0) }
    for name in names {
      do {
        outlooks.append(
          try await change(name, pausing: pausing, withAll: options.isAll, in: context)
        )
      } catch {
        guard options.isAll || options.name.count > 1 else { throw error }
        failures.append(OppiError(error))
      }
    }
    let word = pausing ? "paused" : "resumed"
    let rows = outlooks
    let list = rows.map(\.record.schedule.name).joined(separator: ", ")
    return Report(
      changed.document(of: rows),
      status: StyledText(rows.isEmpty ? "no schedules \(word)" : "\(word) \(list)"),
      notes: failures.dropFirst().map { .warning($0.message) },
      failure: failures.first
    )
  }

  private static let changed: JSONShape<[ScheduleOutlook]> = [
    .list("schedules", "The schedules that were changed", ScheduleOutlook.shape) { $0 }
  ]
}

/// The name of a schedule: a shortcut's, or one that a server runs itself.
enum ScheduleReference: ArgumentValue, Hashable {
  case shortcut(ShortcutName)
  /// A server's name, and the id or name of its schedule.
  case server(String, schedule: String)

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
