// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

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
