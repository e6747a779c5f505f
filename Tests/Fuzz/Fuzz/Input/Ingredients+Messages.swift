// SPDX-License-Identifier: MIT

import OppiText

extension Ingredients {
  /// The types of server messages, with their members.
  private static let messages: [(type: String, members: [String])] = [
    ("stream_connected", []),
    ("connected", ["session", "currentSeq"]),
    ("state", ["session"]),
    ("agent_start", []),
    ("agent_end", []),
    ("message_end", ["role", "content"]),
    ("text_delta", ["delta"]),
    ("thinking_delta", ["delta"]),
    ("tool_start", ["tool", "args", "toolCallId"]),
    ("tool_output", ["toolCallId", "output", "mode", "isError", "truncated", "totalBytes"]),
    ("tool_end", ["toolCallId", "tool", "isError", "details"]),
    ("turn_ack", ["clientTurnId", "stage", "duplicate"]),
    ("command_result", ["command", "requestId", "success", "error", "data"]),
    ("queue_state", ["queue"]),
    ("queue_item_started", ["item", "kind"]),
    ("compaction_start", []),
    ("compaction_end", ["willRetry"]),
    ("retry_start", ["attempt", "maxAttempts", "delayMs", "errorMessage"]),
    ("retry_end", ["success", "finalError"]),
    (
      "permission_request",
      ["id", "tool", "input", "displaySummary", "reason", "timeoutAt", "expires", "toolCallId"]
    ),
    ("permission_expired", ["id"]),
    ("permission_cancelled", ["id"]),
    (
      "extension_ui_request",
      ["id", "method", "title", "message", "options", "questions", "prefill"]
    ),
    ("extension_ui_notification", ["method", "message", "statusKey", "statusText"]),
    ("stop_requested", ["source"]),
    ("stop_confirmed", ["reason"]),
    ("stop_failed", ["reason"]),
    ("session_ended", ["reason"]),
    ("session_deleted", []),
    ("error", ["error", "code", "fatal"]),
    ("git_status", []),
    ("session_summary", ["summary"]),
    ("agent_settled", []),
    ("tool_update", ["tool", "args", "toolCallId", "callSegments"]),
    ("extension_ui_settled", ["id"]),
    ("notice", ["id", "message"]),
  ]

  private static let entries = ["user", "assistant", "toolCall", "toolResult", "thinking"]

  private static let words: [String: [String]] = [
    "role": ["user", "assistant", "system"],
    "mode": ["replace", "append"],
    "kind": ["steer", "follow_up"],
    "stage": ["accepted", "dispatched", "started"],
    "runtime": ["oppi", "pi-tui"],
    "method": ["ask", "select", "confirm", "input", "editor", "setStatus", "notify"],
    "status": ["starting", "ready", "busy", "stopping", "stopped", "error", "new"],
    "command": ["prompt", "subscribe", "stop", "ls -l"],
    "timestamp": [
      "2026-11-21T00:24:45.001Z", "0000-00-00T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
    ],
    "tool": [
      "bash", "read", "write", "edit", "web_search", "web_fetch", "todo", "ask", "spawn_agent",
      "other",
    ],
  ]

  /// A server message of valid form, with arbitrary values.
  mutating func message() -> JSONValue {
    let shape = pick(Self.messages)
    var message = object(of: shape.members)
    message["type"] = .string(shape.type)
    if byte() % 8 == 7 { message["sessionId"] = pick(["s", "c", .null]) }
    if flag() { message["seq"] = .integer(integer()) }
    if byte() % 8 == 7 { message["runtimeEpoch"] = pick(["one", "two", .null]) }
    return .object(message)
  }

  /// The trace of a session.
  mutating func trace() -> JSONValue {
    .array(
      (0..<Int(byte() % 8)).map { _ in
        var entry = object(of: [
          "text", "toolCallId", "toolName", "output", "isError", "details", "timestamp", "tool",
          "args", "id",
        ])
        entry["type"] = .string(pick(Self.entries))
        return .object(entry)
      }
    )
  }

  mutating func session() -> JSONValue {
    var session = object(of: [
      "status", "name", "parentSessionId", "messageCount", "lastMessage", "createdAt",
      "lastActivity", "model", "pendingAskCount", "currentTurnStartedAt", "runtime",
    ])
    session["id"] = byte() % 8 == 7 ? "c" : "s"
    return .object(session)
  }

  /// An object with most of the members.
  private mutating func object(of names: [String]) -> JSONObject {
    var members: JSONObject = [:]
    for name in names where byte() % 8 != 7 { members[name] = member(name) }
    return members
  }

  private mutating func member(_ name: String) -> JSONValue {
    if byte() % 32 == 31 { return anything(depth: 0) }
    if let words = Self.words[name] { return .string(pick(words)) }
    switch name {
    case "session", "summary": return session()
    case "id", "toolCallId", "clientTurnId", "requestId": return .string(pick(["a", "b", "p"]))
    case "parentSessionId": return pick(["s", .null])
    case "isError", "truncated", "duplicate", "success", "willRetry", "fatal", "expires":
      return .bool(flag())
    case "totalBytes", "currentSeq", "attempt", "maxAttempts", "delayMs", "timeoutAt",
      "messageCount", "createdAt", "lastActivity", "pendingAskCount", "currentTurnStartedAt":
      return flag() ? .integer(integer()) : .double(double())
    case "args", "details", "input", "data", "options", "questions", "todos":
      return anything(depth: 0)
    case "queue": return ["steering": [item()], "followUp": [item(), item()]]
    case "item": return item()
    default: return .string(text())
    }
  }

  private mutating func item() -> JSONValue {
    ["id": .string(pick(["a", "b", "p"])), "message": .string(text())]
  }
}

extension Ingredients {
  /// The members of tools' arguments and details, and an unknown one.
  private static let names = [
    "command", "path", "query", "url", "name", "message", "action", "content", "oldText",
    "newText", "title", "text", "question", "label", "agentId", "diff", "questions", "todos",
    "results", "options", "edits", "answers", "offset", "limit", "status", "resultCount",
    "statusCode", "totalBytes", "totalLines", "truncation", "placeholder", "value", "other",
  ]

  /// Any JSON, with the member names of tools' arguments and details.
  mutating func anything(depth: Int) -> JSONValue {
    switch byte() % (depth > 3 ? 6 : 8) {
    case 0: return .null
    case 1: return .bool(flag())
    case 2: return .integer(integer())
    case 3: return .double(double())
    case 4, 5: return .string(text())
    case 6: return .array((0..<Int(byte() % 5)).map { _ in anything(depth: depth + 1) })
    default:
      var members: JSONObject = [:]
      for _ in 0..<Int(byte() % 6) { members[pick(Self.names)] = anything(depth: depth + 1) }
      return .object(members)
    }
  }
}
