// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiHost
import OppiText
import Synchronization

/// The schedules that a server of today runs itself.
extension FakeVariant {
  var scheduleRoutes: [Route] {
    [
      Route("GET", "/schedules") { [self] _, sessions in
        let list = configuration.schedules.map {
          $0.json(isWhole: false, createdAt: sessions.createdAt)
        }
        return .json(["schedules": .array(list)])
      },
      Route("GET", "/schedules/:id") { [self] call, sessions throws(Refusal) in
        let schedule = try schedule(of: call)
        return .json(["schedule": schedule.json(isWhole: true, createdAt: sessions.createdAt)])
      },
      Route("POST", "/schedules/:id/run") { [self] call, sessions throws(Refusal) in
        let schedule = try schedule(of: call)
        guard let id = try call.body["requestId"].string, !id.isEmpty else {
          throw Refusal(400, "requestId is required")
        }
        return await run(schedule, requestID: id, sessions)
      },
      Route("GET", "/schedules/:id/runs") { [self] call, _ throws(Refusal) in
        let id = try schedule(of: call).id
        let runs = state.withLock(\.memory.scheduleRuns).filter { $0.scheduleID == id }
        let limit = try call.number("limit") ?? runs.count
        return .json(["runs": .array(runs.prefix(limit).map(\.json))])
      },
    ]
  }

  /// The schedule with an ID or a unique name.
  private func schedule(of call: Call) throws(Refusal) -> ServerSchedule {
    let reference = (call.parameters["id"] ?? "").percentDecoded()
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
    _ sessions: isolated Sessions
  ) async -> HTTPResponse {
    var run = ServerScheduleRun(
      id: loop.makeID(.short),
      scheduleID: schedule.id,
      requestID: requestID,
      action: schedule.action,
      startedAt: loop.timestamp
    )
    let (known, index) = state.withLock { [run] state in
      let known = state.memory.scheduleRuns.first {
        $0.scheduleID == schedule.id && $0.requestID == requestID
      }
      if known == nil { state.memory.scheduleRuns.append(run) }
      return (known, state.memory.scheduleRuns.count - 1)
    }
    if let known { return .json(["run": known.json]) }
    let result = await dispatch(schedule, turn: run.id, sessions)
    run.sessionID = result.sessionID
    run.error = result.error
    run.completedAt = loop.timestamp
    state.withLock { [run] in $0.memory.scheduleRuns[index] = run }
    return .json(["run": run.json], status: 201)
  }

  private func dispatch(
    _ schedule: ServerSchedule,
    turn: String,
    _ sessions: isolated Sessions
  ) async -> (sessionID: String?, error: String?) {
    do throws(Refusal) {
      if let id = schedule.sessionID {
        return (id, try await prompt(schedule, in: id, turn: turn, sessions))
      }
      let body = JSONValue.object([
        "name": .string(schedule.name), "prompt": .string(schedule.prompt),
        "model": schedule.model.map(JSONValue.string),
      ])
      let order = try LaunchOrder(body, in: try sessions.workspace(schedule.workspaceID))
      let session = try await sessions.launch(order).json["session"]
      return (session["id"].string, session["launch"]["promptError"].string)
    } catch {
      return (error.members["sessionId"]?.string ?? schedule.sessionID, error.text)
    }
  }

  /// Returns the error of a prompt that was refused.
  private func prompt(
    _ schedule: ServerSchedule,
    in id: String,
    turn: String,
    _ sessions: isolated Sessions
  ) async throws(Refusal) -> String? {
    let session = try sessions.session(id)
    try await sessions.start(session)
    let message = JSONValue.object([
      "type": "prompt", "message": .string(schedule.prompt), "requestId": .string(turn),
      "clientTurnId": .string(turn),
      "streamingBehavior": schedule.streamingBehavior.map(JSONValue.string),
    ])
    let messages = try await sessions.command(message, of: session)["messages"].array ?? []
    return messages.first { $0["success"] == false }?["error"].string
  }
}
