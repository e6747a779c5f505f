// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
import OppiModel
import OppiSystem
import OppiText
package import OppiWire

extension Services {
  /// The schedules that servers run themselves, except archived ones, in each server's order; `nil`
  /// for servers that run none.
  ///
  /// - Throws: `CancellationError`.
  package func schedules(
    of servers: [PairedServer]
  ) async throws(CancellationError) -> [Fleet.Answer<[ServerScheduleRow]?>] {
    try await fleet(of: servers).answers { (calls, server) throws(OppiError) in
      guard let list = try await calls.listSchedules() else { return nil }
      let now = now().moved(by: list.clockOffset ?? .zero)
      var rows: [ServerScheduleRow] = []
      for schedule in list.value where schedule.status != "archived" {
        let next = await next(of: schedule, at: now)
        rows.append(ServerScheduleRow(server: server, schedule: schedule, next: next))
      }
      return rows
    }
  }

  /// The next run; `nil` if the calendar cannot be computed here.
  private func next(
    of schedule: ServerSchedule,
    at now: Timestamp
  ) async -> [CalendarElapses.Elapse]? {
    switch schedule.next(at: now) {
    case .at(let moment): return [(moment, LocalTime.text(at: moment))]
    case .never: return []
    case .unknown: return nil
    case .calendar(let expressions):
      let trigger = ScheduleTrigger(.cron, "")
      var plan = Schedule(name: schedule.id, trigger: trigger, calendar: expressions)
      plan.zone = schedule.zone
      return try? await calendar.next(plan, after: now, count: 1)
    }
  }
}

/// Runs a schedule of a server now, at most once.
///
/// The id of the request is kept until the server has answered: a repeat after a lost answer finds
/// the run that the first request started.
struct RunServerSchedule: Sendable {
  struct Outcome: Sendable {
    let server: PairedServer
    let schedule: ServerSchedule
    let run: ServerScheduleRun
    /// Whether an earlier command requested the run, and got no answer.
    let isRepeat: Bool
  }

  /// Starting an agent may take long; the request is repeated until then.
  private static let limit = Duration.seconds(30)
  private static let requestLimit = Duration.seconds(10)
  private static let pause = Duration.seconds(1)

  let context: Services

  /// Runs the schedule with an id or a unique name.
  ///
  /// - Throws: `OppiError`, also if the server refused, or nothing was sent;
  ///   `FileError`; `CancellationError`.
  func run(_ name: String, on server: PairedServer) async throws -> Outcome {
    let schedule = try await schedule(named: name, on: server)
    return try await context.withRunRequest(of: schedule.id, on: server.id) { id, isRepeat in
      var attempt = Attempt()
      let run = await Result(catching: {
        try await request(schedule, on: server, requestID: id, &attempt)
      })
      let outcome = run.map {
        Outcome(server: server, schedule: schedule, run: $0, isRepeat: isRepeat)
      }
      // Otherwise the server may have a run that was not reported.
      let isKnown = attempt.isAnswered || !(attempt.mayRun || isRepeat)
      return (outcome, isKnown)
    } ifHeld: {
      let name = server.qualified(schedule.name)
      throw OppiError(.locked, "another command runs \(name)", hints: ["retry later"])
    }
  }

  /// The requests of one command.
  private struct Attempt {
    /// Whether the server may have received a request of this command.
    var mayRun = false
    /// Whether the server has answered for good.
    var isAnswered = false
  }

  private func schedule(
    named name: String,
    on server: PairedServer
  ) async throws -> ServerSchedule {
    let answers = try await context.schedules(of: [server])
    guard let rows = try answers.first?.result.get() else {
      throw OppiError(.noSuchSchedule, "\(server.name) does not run schedules itself")
    }
    let schedules = rows.map(\.schedule)
    if let exact = schedules.first(where: { $0.id == name }) { return exact }
    let matches = schedules.filter { $0.name == name }
    guard let match = matches.first else {
      throw OppiError(
        .noSuchSchedule,
        "\(server.name) has no schedule '\(name.safeLine(limit: 120))'",
        hints: ["list the schedules with: oppi schedule list --all"]
      )
    }
    guard matches.count == 1 else {
      throw OppiError(
        .ambiguousName,
        "'\(name.safeLine(limit: 120))' is ambiguous: it matches several schedules",
        hints: ["use one of the ids: \(matches.map(\.id).prefix(10).joined(separator: ", "))"]
      )
    }
    return match
  }

  /// Requests the run until the server has confirmed it.
  private func request(
    _ schedule: ServerSchedule,
    on server: PairedServer,
    requestID: String,
    _ attempt: inout Attempt
  ) async throws -> ServerScheduleRun {
    let api = try await context.connections.client(for: server)
    let end = context.loop.now + min(context.timeout ?? Self.limit, Self.limit)
    var last: OppiError?
    repeat {
      let deadline = min(end, context.loop.now + Self.requestLimit)
      do throws(OppiError) {
        let run = try await api.until(deadline).runSchedule(schedule.id, requestID: requestID)
        attempt.mayRun = true
        attempt.isAnswered = run.isCompleted || run.isFailed
        if run.isCompleted { return run }
        last = run.isFailed ? .refused(status: 400, message: run.error, server: server.name) : nil
      } catch {
        last = error
        attempt.mayRun = attempt.mayRun || error.mayHaveArrived
        attempt.isAnswered = error.isFinalAnswer
        guard attempt.mayRun || attempt.isAnswered else { throw error }
      }
      if attempt.isAnswered, case .refused(_, let reason)? = last?.reason {
        let why = reason.map { ": \($0)" } ?? ""
        throw OppiError(.promptRefused, "\(server.name) could not run \(schedule.name)\(why)")
      }
      guard last?.isPassing ?? true else { break }
      try await context.loop.sleep(for: Self.pause)
    } while context.loop.now < end
    // The run may have started; a repeat has the same id.
    let why = last.map { ": \($0.message)" } ?? ""
    throw OppiError(
      .deliveryUnknown,
      "\(server.name) has not confirmed the run of \(schedule.name)\(why)",
      hints: ["repeat the command: it finds this run, and starts no other"]
    )
  }
}

extension OppiError {
  /// Whether the server has decided about a run: there is none, or it has failed.
  fileprivate var isFinalAnswer: Bool {
    guard let status = refusedStatus else { return false }
    return (400..<500).contains(status) && ![401, 403, 408, 429].contains(status)
  }
}
