// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The schedules that servers run themselves.
struct ServerSchedules: Sendable {
  /// A schedule with its next run.
  struct Row: Sendable {
    let server: PairedServer
    let schedule: ServerSchedule
    let next: Next
  }

  enum Next: Sendable, Equatable {
    case at(CalendarElapses.Elapse)
    case never
    case unknown
  }

  private let context: IntentContext

  init(in context: IntentContext) {
    self.context = context
  }

  /// The schedules of servers except archived ones, in each server's order; `nil` for servers that
  /// run none.
  ///
  /// - Throws: `CancellationError`.
  func answers(
    of servers: [PairedServer]
  ) async throws(CancellationError) -> [Fleet.Answer<[Row]?>] {
    try await context.fleet(of: servers).answers {
      [context] (client, server, deadline) throws(IntentError) in
      guard let list = try await client.listSchedules(until: deadline) else { return nil }
      let now = context.now().moved(by: list.clockOffset)
      var rows: [Row] = []
      for schedule in list.schedules where schedule.status != .archived {
        let next = await Self.next(of: schedule, at: now, in: context)
        rows.append(Row(server: server, schedule: schedule, next: next))
      }
      return rows
    }
  }

  /// The next run; unknown if the calendar cannot be computed here.
  private static func next(
    of schedule: ServerSchedule,
    at now: Timestamp,
    in context: IntentContext
  ) async -> Next {
    switch schedule.next(at: now) {
    case .at(let moment):
      return .at(CalendarElapses.Elapse(moment: moment, zoneText: LocalTime.text(at: moment)))
    case .never: return .never
    case .unknown: return .unknown
    case .calendar(let expressions):
      let plan = Schedule(
        name: schedule.id,
        trigger: .cron(""),
        calendar: expressions,
        cron: [],
        zone: schedule.zone
      )
      do {
        let next = try await ScheduleCalendar(context).next(plan, after: now, count: 1)
        return next.first.map(Next.at) ?? .never
      } catch {
        return .unknown
      }
    }
  }
}
