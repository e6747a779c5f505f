// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiTerminal
import OppiText

/// What a key opens for schedules.
enum ScheduleAction: TabAction {
  case add
  /// Change a schedule of this machine.
  case change(ShortcutName, ScheduleRequest)
}

enum ScheduleEffect: TabEffect {
  case read
  /// Read the names of the shortcuts, which a form offers.
  case readShortcuts
  /// Resume or pause a schedule of this machine.
  case enable(ShortcutName, Bool)
  case runNow(ShortcutName)
  /// Compute the next two runs of a schedule, without writing anything.
  case plan(ShortcutName, ScheduleRequest, replaces: Bool)
  /// Write a schedule that was planned.
  case save(ShortcutName, ScheduleRequest, replaces: Bool)

  var isChange: Bool {
    switch self {
    case .enable, .runNow, .save: true
    case .read, .readShortcuts, .plan: false
    }
  }

  func perform(in console: ConsoleLoop) async {
    switch self {
    case .plan(let name, let request, let replaces):
      let plan = await console.plan(name, request, replaces: replaces)
      return console.report(.schedule(.planned(name, request, plan)))
    case .readShortcuts:
      // The form only offers them.
      let names = (try? console.context.shortcuts.all()) ?? []
      return console.report(.schedule(.shortcuts(names.map(\.text))))
    case .read, .enable, .runNow, .save: break
    }
    do {
      if let note = try await console.change(self) { console.report(.note(note)) }
    } catch {
      console.reportFailure("failed", error)
    }
    await console.readSchedules()
  }
}

enum ScheduleNews: TabNews {
  /// The schedules of this machine and of the servers, and what could not be read, safe to show.
  case listed([ScheduleItem], problems: [String])
  case shortcuts([String])
  /// The next runs of a schedule that is being edited, or why it is invalid.
  case planned(ShortcutName, ScheduleRequest, Result<[StyledText], FleetView.Failure>)
}

extension ConsoleAction {
  static func schedule(_ action: ScheduleAction) -> ConsoleAction { .own(action) }
}

extension ConsoleEffect {
  static func schedule(_ effect: ScheduleEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func schedule(_ news: ScheduleNews) -> ConsoleNews { .own(news) }
}

extension ConsoleLoop {
  /// Changes a schedule, and returns the notice about it.
  fileprivate func change(_ effect: ScheduleEffect) async throws -> String? {
    switch effect {
    case .enable(let name, true):
      _ = try await context.services.enableSchedule(name)
      return "resumed \(name.text)"
    case .enable(let name, false):
      _ = try await context.services.disableSchedule(name)
      return "paused \(name.text)"
    case .runNow(let name):
      if let failure = try await FiredShortcut(name, in: context).runNow() { throw failure }
      return "ran \(name.text)"
    case .save(let name, let request, let replaces):
      let flow = try flow(name, request)
      let plan = try await flow.plan(mayReplace: replaces)
      try await flow.prepare(plan)
      try await flow.keep(plan)
      return "scheduled \(name.text)"
    case .read, .readShortcuts, .plan: return nil
    }
  }

  fileprivate func plan(
    _ name: ShortcutName,
    _ request: ScheduleRequest,
    replaces: Bool
  ) async -> Result<[StyledText], FleetView.Failure> {
    do {
      let plan = try await flow(name, request).plan(mayReplace: replaces)
      return .success(ScheduleOutlook.lines(of: plan.next))
    } catch {
      return .failure(.init(message: OppiError(error).message.safeLine(limit: 200)))
    }
  }

  /// The schedule of a shortcut that needs no values and no standard input.
  private func flow(_ name: ShortcutName, _ request: ScheduleRequest) throws -> AddSchedule {
    try ScheduleAddCommand.check(name, in: context)
    return AddSchedule(request: request, name: name, context: context.services)
  }

  /// Reads the schedules of this machine, which come first, and then those of the servers.
  fileprivate func readSchedules() async {
    do {
      let (found, defects) = try await context.services.readSchedules {
        await ScheduleOutlook(of: $0, count: 2, in: context.services)
      }
      let own = found.compactMap { ScheduleItem($0) }
      var problems = defects.map { OppiError($0).message }
      report(.schedule(.listed(own, problems: problems)))
      let answers = try await context.services.schedules(of: servers)
      let rows = answers.flatMap { (try? $0.result.get()) ?? [] }
      let theirs = rows.map { ScheduleItem($0) }
        .sorted { $0.name < $1.name }
      problems += FleetFailures(answers).errors.map(\.message)
      report(.schedule(.listed(own + theirs, problems: problems)))
    } catch {
      report(.schedule(.listed([], problems: [OppiError(error).message])))
    }
  }
}
