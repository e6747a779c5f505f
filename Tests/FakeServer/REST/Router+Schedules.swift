// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - The server's own schedules

extension Router {
  static let scheduleRoutes: [Route] = [
    .later("GET", "/schedules") { call, router in
      let schedules = router.configuration.schedules.filter { schedule in
        let own = [
          "workspaceId": schedule.workspaceID, "sessionId": schedule.sessionID,
          "status": schedule.status.rawValue,
        ]
        return own.allSatisfy { name, value in call.query[name].map { $0 == value } ?? true }
      }
      let list = schedules.map { $0.json(isWhole: false, createdAt: router.createdAt) }
      return (["schedules": .array(list)], 200)
    },
    .later("GET", "/schedules/:id") { call, router throws(Refusal) in
      let schedule = try router.sessions.schedule(call.scheduleReference)
      return (["schedule": schedule.json(isWhole: true, createdAt: router.createdAt)], 200)
    },
    .later("POST", "/schedules/:id/run") { call, router throws(Refusal) in
      let schedule = try router.sessions.schedule(call.scheduleReference)
      guard let id = try call.body["requestId"].string, !id.isEmpty else {
        throw Refusal(400, "requestId is required")
      }
      return await router.sessions.run(schedule, requestID: id)
    },
    .later("GET", "/schedules/:id/runs") { call, router throws(Refusal) in
      let schedule = try router.sessions.schedule(call.scheduleReference)
      let limit = try call.number("limit")
      return (["runs": .array(await router.sessions.runs(of: schedule.id, limit: limit))], 200)
    },
  ]
}

extension Call {
  fileprivate var scheduleReference: String { (parameters["id"] ?? "").percentDecoded() }
}
