// SPDX-License-Identifier: MIT

import OppiModel

/// The members of server messages, as recorded from real servers.
enum RecordedShapes {
  struct Shape {
    /// Members besides `type` and `sessionId`.
    let required: Set<String>
    var optional: Set<String> = []
  }

  static let messages: [String: Shape] = [
    "agent_end": Shape(required: ["seq"]),
    "agent_start": Shape(required: ["seq"]),
    "command_result": Shape(
      required: ["command", "success"],
      optional: ["data", "error", "requestId"]
    ),
    "connected": Shape(required: ["currentSeq", "session"]),
    "error": Shape(required: ["error"], optional: ["code", "seq"]),
    "extension_ui_request": Shape(
      required: ["id", "method"],
      optional: [
        "allowCustom", "message", "options", "placeholder", "prefill", "questions", "title",
      ]
    ),
    "message_end": Shape(required: ["content", "role", "seq"]),
    "permission_cancelled": Shape(required: ["id", "streamSeq"]),
    "permission_expired": Shape(required: ["id", "reason", "streamSeq"]),
    "permission_request": Shape(
      required: ["displaySummary", "expires", "id", "input", "reason", "timeoutAt", "tool"],
      optional: ["streamSeq"]
    ),
    "queue_item_started": Shape(required: ["item", "kind", "queueVersion"]),
    "queue_state": Shape(required: ["queue"]),
    "retry_end": Shape(required: ["success", "attempt"], optional: ["finalError"]),
    "retry_start": Shape(required: ["attempt", "maxAttempts", "delayMs", "errorMessage"]),
    "session_ended": Shape(required: ["reason", "seq"]),
    "state": Shape(required: ["session"]),
    "stop_confirmed": Shape(required: ["seq", "source"], optional: ["reason"]),
    "stop_failed": Shape(required: ["reason", "seq", "source"]),
    "stop_requested": Shape(required: ["seq", "source"], optional: ["reason"]),
    "stream_connected": Shape(required: ["userName"]),
    "text_delta": Shape(required: ["delta"]),
    "thinking_delta": Shape(required: ["delta"]),
    "tool_end": Shape(
      required: ["seq", "tool", "toolCallId"],
      optional: ["details", "isError", "resultSegments"]
    ),
    "tool_output": Shape(
      required: ["output", "toolCallId"],
      optional: ["mode", "totalBytes", "truncated"]
    ),
    "tool_start": Shape(
      required: ["args", "seq", "tool", "toolCallId"],
      optional: ["callSegments"]
    ),
    "turn_ack": Shape(
      required: ["clientTurnId", "command", "stage"],
      optional: ["duplicate", "requestId"]
    ),
    "turn_end": Shape(required: []),
    "turn_start": Shape(required: []),
  ]

  static let session = Shape(
    required: [
      "contextWindow", "cost", "createdAt", "id", "lastActivity", "messageCount", "model", "status",
      "tokens", "workspaceId", "workspaceName",
    ],
    optional: [
      "contextTokens", "firstMessage", "lastMessage", "name", "parentSessionId", "thinkingLevel",
    ]
  )

  /// Whether a message has all required members and no unknown ones.
  static func fits(_ message: JSONValue) -> Bool {
    guard let shape = messages[message["type"].string ?? ""] else { return false }
    let isMessage = fits(message, shape, envelope: ["type", "sessionId"])
    return isMessage && (message["session"] == .null || fits(message["session"], session))
  }

  private static func fits(
    _ object: JSONValue,
    _ shape: Shape,
    envelope: Set<String> = []
  ) -> Bool {
    let names = Set((object.object ?? [:]).map(\.key)).subtracting(envelope)
    return names.isSuperset(of: shape.required)
      && names.isSubset(of: shape.required.union(shape.optional))
  }
}
