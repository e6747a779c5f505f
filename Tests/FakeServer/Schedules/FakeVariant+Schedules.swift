// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiHost
import OppiModel
import Synchronization

/// The schedules that a server of today runs itself.
extension FakeVariant {
  var scheduleRoutes: [Route] {
    [
      Route("GET", "/schedules") { [self] call, router in
        let schedules = configuration.schedules.filter { schedule in
          let own = [
            "workspaceId": schedule.workspaceID, "sessionId": schedule.sessionID,
            "status": schedule.status.rawValue,
          ]
          return own.allSatisfy { name, value in call.query[name].map { $0 == value } ?? true }
        }
        let list = schedules.map { $0.json(isWhole: false, createdAt: router.createdAt) }
        return (["schedules": .array(list)], 200)
      },
      Route("GET", "/schedules/:id") { [self] call, router throws(Refusal) in
        let schedule = try schedule(call.scheduleReference)
        return (["schedule": schedule.json(isWhole: true, createdAt: router.createdAt)], 200)
      },
      Route("POST", "/schedules/:id/run") { [self] call, router throws(Refusal) in
        let schedule = try schedule(call.scheduleReference)
        guard let id = try call.body["requestId"].string, !id.isEmpty else {
          throw Refusal(400, "requestId is required")
        }
        return await run(schedule, requestID: id, router)
      },
      Route("GET", "/schedules/:id/runs") { [self] call, _ throws(Refusal) in
        let schedule = try schedule(call.scheduleReference)
        return (["runs": .array(runs(of: schedule.id, limit: try call.number("limit")))], 200)
      },
    ]
  }

  /// The schedule with an ID or a unique name.
  private func schedule(_ reference: String) throws(Refusal) -> ServerSchedule {
    let all = configuration.schedules
    if let schedule = all.first(where: { $0.id == reference }) { return schedule }
    let named = all.filter { $0.name == reference }
    guard named.count < 2 else { throw Refusal(409, "Schedule name is ambiguous") }
    guard let schedule = named.first else { throw Refusal(404, "Schedule not found") }
    return schedule
  }

  /// Runs a schedule now, and returns when its prompt was delivered; a repeat returns the same run.
  private func run(
    _ schedule: ServerSchedule,
    requestID: String,
    _ router: Router
  ) async -> Route.Answer {
    var run = ServerScheduleRun(
      id: loop.makeID(.short),
      scheduleID: schedule.id,
      requestID: requestID,
      action: schedule.action,
      startedAt: loop.timestamp
    )
    let (known, index) = state.withLock { [run] state in
      let known = state.scheduleRuns.first {
        $0.scheduleID == schedule.id && $0.requestID == requestID
      }
      if known == nil { state.scheduleRuns.append(run) }
      return (known, state.scheduleRuns.count - 1)
    }
    if let known { return (["run": known.json], 200) }
    let result = await dispatch(schedule, turn: run.id, router)
    run.sessionID = result.sessionID
    run.error = result.error
    run.status = result.error == nil ? .completed : .failed
    run.completedAt = loop.timestamp
    state.withLock { [run] in $0.scheduleRuns[index] = run }
    return (["run": run.json], 201)
  }

  private func dispatch(
    _ schedule: ServerSchedule,
    turn: String,
    _ router: Router
  ) async -> (sessionID: String?, error: String?) {
    do {
      guard let id = schedule.sessionID else { return try await create(for: schedule, router) }
      return (id, try await prompt(schedule, in: id, turn: turn, router.sessions))
    } catch {
      return (error.members["sessionId"]?.string ?? schedule.sessionID, error.text)
    }
  }

  private func create(
    for schedule: ServerSchedule,
    _ router: Router
  ) async throws(Refusal) -> (sessionID: String?, error: String?) {
    let body = JSONValue.object([
      "name": .string(schedule.name), "prompt": .string(schedule.prompt),
      "model": schedule.model.map(JSONValue.string),
    ])
    let order = try LaunchOrder(body, in: try router.workspace(schedule.workspaceID))
    let session = try await router.sessions.launch(order).json["session"]
    return (session["id"].string, session["launch"]["promptError"].string)
  }

  /// Returns the error of a prompt that was refused.
  private func prompt(
    _ schedule: ServerSchedule,
    in id: String,
    turn: String,
    _ sessions: isolated Sessions
  ) async throws(Refusal) -> String? {
    try await sessions.start(try sessions.session(id))
    let message = JSONValue.object([
      "type": "prompt", "message": .string(schedule.prompt), "requestId": .string(turn),
      "clientTurnId": .string(turn),
      "streamingBehavior": schedule.streamingBehavior.map(JSONValue.string),
    ])
    let messages = try await sessions.command(message, of: id)["messages"].array ?? []
    return messages.first { $0["success"] == false }?["error"].string
  }

  /// The runs of a schedule, the oldest first.
  private func runs(of scheduleID: String, limit: Int?) -> [JSONValue] {
    let runs = scheduleRuns.filter { $0.scheduleID == scheduleID }.map(\.json)
    return limit.map { Array(runs.prefix($0)) } ?? runs
  }
}

extension Call {
  fileprivate var scheduleReference: String { (parameters["id"] ?? "").percentDecoded() }
}
