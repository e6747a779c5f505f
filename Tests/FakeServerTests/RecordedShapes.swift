// SPDX-License-Identifier: MIT

import OppiModel

/// The members of server messages, as recorded from real servers.
enum RecordedShapes {
  struct Shape {
    /// Members besides `type` and `sessionId`.
    let required: Set<String>
    var optional: Set<String> = []
  }

  /// The members of each type; a question mark precedes those that may be missing.
  private static let table = """
    agent_end seq
    agent_start seq
    command_result command success ?data ?error ?requestId
    connected currentSeq session
    error error ?code ?seq
    extension_ui_request id method ?allowCustom ?message ?options ?placeholder ?prefill \
      ?questions ?title
    message_end content role seq
    permission_cancelled id streamSeq
    permission_expired id reason streamSeq
    permission_request displaySummary expires id input reason timeoutAt tool ?streamSeq
    queue_item_started item kind queueVersion
    queue_state queue
    retry_end success attempt ?finalError
    retry_start attempt maxAttempts delayMs errorMessage
    session_ended reason seq
    state session
    stop_confirmed seq source ?reason
    stop_failed reason seq source
    stop_requested seq source ?reason
    stream_connected userName
    text_delta delta
    thinking_delta delta
    tool_end seq tool toolCallId ?details ?isError ?resultSegments
    tool_output output toolCallId ?mode ?totalBytes ?truncated
    tool_start args seq tool toolCallId ?callSegments
    turn_ack clientTurnId command stage ?duplicate ?requestId
    turn_end
    turn_start
    """

  static let messages: [String: Shape] = Dictionary(
    uniqueKeysWithValues: table.split(separator: "\n").map { row in
      let names = row.split(separator: " ").map(String.init)
      let (optional, required) = (
        names.filter { $0.hasPrefix("?") }, names.dropFirst().filter { !$0.hasPrefix("?") }
      )
      let shape = Shape(
        required: Set(required),
        optional: Set(optional.map { String($0.dropFirst()) })
      )
      return (names[0], shape)
    }
  )

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
