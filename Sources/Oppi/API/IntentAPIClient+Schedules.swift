// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension IntentAPIClient {
  /// The schedules that a server runs itself, and its clock.
  struct ServerSchedules: Sendable {
    var schedules: [ServerSchedule]
    var clockOffset: Duration
  }

  /// `GET /schedules`, archived ones included; `nil` on servers without schedules.
  func listSchedules(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerSchedules? {
    do {
      let answer = try await datedList("schedules", at: "/schedules", until: deadline) {
        ServerSchedule(json: $0)
      }
      return ServerSchedules(
        schedules: answer.value,
        clockOffset: answer.clockOffset ?? .zero
      )
    } catch  where error.isMissingRoute {
      return nil
    }
  }

  /// `POST /schedules/:id/run`: starts a run, or returns the one that an earlier request with the
  /// same id started.
  func runSchedule(
    _ id: String,
    requestID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerScheduleRun {
    let body: JSONValue = ["requestId": .string(requestID)]
    let json = try await call("POST", "/schedules/\(id)/run", body: body, until: deadline)
    guard let run = ServerScheduleRun(json: json["run"]) else { throw malformed("run") }
    return run
  }
}
