// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Permissions

extension Router {
  func audit(_ call: Call) async throws(Refusal) -> JSONValue {
    guard let limit = Int(call.query["limit"] ?? "50"), (1...500).contains(limit) else {
      throw Refusal(400, "limit must be an integer between 1 and 500")
    }
    let entries = await sessions.audit.latest(limit, ofSession: call.query["sessionId"])
    return ["entries": .array(entries)]
  }

  func pendingPermissions(_ call: Call) async throws(Refusal) -> JSONValue {
    if let id = call.query["workspaceId"] { _ = try workspace(id) }
    if let id = call.query["sessionId"] { _ = try await sessions.detail(of: id) }
    let pending = await sessions.pendingPermissions.filter { permission in
      ["workspaceId", "sessionId"].allSatisfy { name in
        call.query[name].map { permission[name].string == $0 } ?? true
      }
    }
    return ["pending": .array(pending), "serverTime": loop.timestamp.json]
  }

  func respondToPermission(_ call: Call) async throws(Refusal) -> JSONValue {
    let body: JSONValue
    do {
      body = try call.body
    } catch {
      throw Refusal(400, error.text)
    }
    guard let action = body["action"].string, ["allow", "deny"].contains(action) else {
      throw Refusal(400, "action must be \"allow\" or \"deny\"")
    }
    let scope = body["scope"] == .null ? "once" : body["scope"].string ?? ""
    guard ["once", "session", "global"].contains(scope) else {
      throw Refusal(400, "scope must be \"once\", \"session\", or \"global\"")
    }
    let duration = body["expiresInMs"]
    guard duration == .null || (duration.double ?? 0) > 0 else {
      throw Refusal(400, "expiresInMs must be a positive number when provided")
    }
    let id = call.parameters["id"] ?? ""
    guard await sessions.decide(id, isAllowed: action == "allow", scope: scope) else {
      throw Refusal(404, "Permission request not found")
    }
    return .object([
      "ok": true,
      "id": .string(id),
      "action": .string(action),
      "scope": .string(scope),
      "expiresInMs": duration == .null ? nil : duration,
    ])
  }
}
