// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiText

/// Performs the effects of the console that concern schedules.
extension ConsoleLoop {
  func performOnSchedules(_ effect: ConsoleEffect) async {
    do {
      switch effect {
      case .enable(let name, let isEnabled):
        let context = context.services
        _ =
          isEnabled
          ? try await context.enableSchedule(name) : try await context.disableSchedule(name)
        report(.note("\(isEnabled ? "resumed" : "paused") \(name.text)"))
      case .runNow(let name):
        if let failure = try await FiredShortcut(name, in: context).runNow() { throw failure }
        report(.note("ran \(name.text)"))
      case .plan(let name, let request, let replaces):
        let plan = try await flow(name, request).plan(mayReplace: replaces)
        return report(.planned(name, request, .success(ScheduleOutlook.lines(of: plan.next))))
      case .save(let name, let request, let replaces):
        let flow = try flow(name, request)
        let plan = try await flow.plan(mayReplace: replaces)
        try await flow.prepare(plan)
        try await flow.keep(plan)
        report(.note("scheduled \(name.text)"))
      default: break
      }
    } catch {
      if case .plan(let name, let request, _) = effect {
        let message = OppiError(error).message.safeLine(limit: 200)
        return report(.planned(name, request, .failure(.init(message: message))))
      }
      reportFailure("failed", error)
    }
    await readSchedules()
  }

  /// The schedule of a shortcut that needs no values and no standard input.
  private func flow(_ name: ShortcutName, _ request: ScheduleRequest) throws -> AddSchedule {
    try ScheduleAddCommand.check(name, in: context)
    return AddSchedule(request: request, name: name, context: context.services)
  }

  /// Reads the schedules of this machine, which come first, and then those of the servers.
  private func readSchedules() async {
    do {
      let (found, defects) = try await context.services.readSchedules {
        await ScheduleOutlook(of: $0, count: 2, in: context.services)
      }
      let own = found.compactMap { ScheduleItem($0) }
      var problems = defects.map { OppiError($0).message }
      report(.schedules(own, problems: problems))
      let answers = try await context.services.schedules(of: servers)
      let rows = answers.flatMap { (try? $0.result.get()) ?? [] }
      let theirs = rows.map { ScheduleItem($0) }
        .sorted { $0.name < $1.name }
      problems += FleetFailures(answers).errors.map(\.message)
      report(.schedules(own + theirs, problems: problems))
    } catch {
      report(.schedules([], problems: [OppiError(error).message]))
    }
  }
}
