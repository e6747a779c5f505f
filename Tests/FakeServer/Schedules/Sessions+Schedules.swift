// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// The schedule with an ID or a unique name.
  nonisolated func schedule(_ reference: String) throws(Refusal) -> ServerSchedule {
    let all = configuration.schedules
    if let schedule = all.first(where: { $0.id == reference }) { return schedule }
    let named = all.filter { $0.name == reference }
    guard named.count < 2 else { throw Refusal(409, "Schedule name is ambiguous") }
    guard let schedule = named.first else { throw Refusal(404, "Schedule not found") }
    return schedule
  }

  /// Runs a schedule now, and returns when its prompt was delivered; a repeat returns the same run.
  func run(_ schedule: ServerSchedule, requestID: String) async -> Route.Answer {
    let known = scheduleRuns.first { $0.scheduleID == schedule.id && $0.requestID == requestID }
    if let known { return (["run": known.json], 200) }
    let index = scheduleRuns.count
    scheduleRuns.append(
      ServerScheduleRun(
        id: loop.makeID(.short),
        scheduleID: schedule.id,
        requestID: requestID,
        action: schedule.action,
        startedAt: loop.timestamp
      )
    )
    let result = await dispatch(schedule, turn: scheduleRuns[index].id)
    scheduleRuns[index].sessionID = result.sessionID
    scheduleRuns[index].error = result.error
    scheduleRuns[index].status = result.error == nil ? .completed : .failed
    scheduleRuns[index].completedAt = loop.timestamp
    return (["run": scheduleRuns[index].json], 201)
  }

  private func dispatch(
    _ schedule: ServerSchedule,
    turn: String
  ) async -> (sessionID: String?, error: String?) {
    do {
      guard let id = schedule.sessionID else { return try await create(for: schedule) }
      return (id, try await prompt(schedule, in: id, turn: turn))
    } catch {
      return (error.members["sessionId"]?.string ?? schedule.sessionID, error.text)
    }
  }

  private func create(
    for schedule: ServerSchedule
  ) async throws(Refusal) -> (sessionID: String?, error: String?) {
    guard let workspace = configuration.workspaces.first(where: { $0.id == schedule.workspaceID })
    else { throw Refusal(404, "Workspace not found") }
    let body = JSONValue.object([
      "name": .string(schedule.name), "prompt": .string(schedule.prompt),
      "model": schedule.model.map(JSONValue.string),
    ])
    let session = try await launch(try LaunchOrder(body, in: workspace)).json["session"]
    return (session["id"].string, session["launch"]["promptError"].string)
  }

  /// Returns the error of a prompt that was refused.
  private func prompt(
    _ schedule: ServerSchedule,
    in id: String,
    turn: String
  ) async throws(Refusal) -> String? {
    try await start(try session(id))
    let message = JSONValue.object([
      "type": "prompt", "message": .string(schedule.prompt), "requestId": .string(turn),
      "clientTurnId": .string(turn),
      "streamingBehavior": schedule.streamingBehavior.map(JSONValue.string),
    ])
    let messages = try await command(message, of: id)["messages"].array ?? []
    return messages.first { $0["success"] == false }?["error"].string
  }

  /// The runs of a schedule, the oldest first.
  func runs(of scheduleID: String, limit: Int?) -> [JSONValue] {
    let runs = scheduleRuns.filter { $0.scheduleID == scheduleID }.map(\.json)
    return limit.map { Array(runs.prefix($0)) } ?? runs
  }
}
