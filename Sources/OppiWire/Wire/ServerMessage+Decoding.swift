// SPDX-License-Identifier: MIT

package import OppiText

extension ServerMessage {
  /// Reads a message; `nil` if it is not an object with a `type`.
  ///
  /// A missing or invalid member never invalidates a known type: it counts as absent, or the kind
  /// becomes `.unknown` if the member is essential.
  package init?(json: JSONValue) {
    guard let type = json["type"].text(.name) else { return nil }
    self.init(
      Self.kind(type, json) ?? .unknown(type: type),
      sessionID: json["sessionId"].text(.name),
      sequence: json["seq"].int,
      epoch: Self.epoch(in: json)
    )
  }

  /// The agent that a server's answer names; `nil` on older servers.
  package static func epoch(in json: JSONValue) -> String? {
    let epoch = json["runtimeEpoch"]
    guard let text = epoch.text(.name) ?? epoch.int.map(String.init), !text.isEmpty else {
      return nil
    }
    return text
  }

  private static func kind(_ type: String, _ json: JSONValue) -> Kind? {
    switch type {
    case "text_delta": .textDelta(json["delta"].text(.content) ?? "")
    case "thinking_delta": .thinkingDelta(json["delta"].text(.content) ?? "")
    case "message_end":
      .messageEnd(
        role: json["role"].text(.name).flatMap(Role.init),
        text: json["content"].text(.content) ?? text(ofParts: json["assistantContent"])
      )
    case "queue_state": .queueState(QueuedMessage.all(in: json["queue"]))
    case "queue_item_started":
      QueuedMessage(json: json["item"], kind: json["kind"] == "steer" ? .steer : .followUp)
        .map(Kind.queueItemStarted)
    case "git_status": .gitStatus
    default:
      lifecycle(type, json) ?? tool(type, json) ?? answer(type, json) ?? human(type, json)
    }
  }

  /// The visible text of a message that is listed in parts.
  private static func text(ofParts parts: JSONValue) -> String {
    (parts.array ?? []).filter { $0["kind"] == "text" }
      .compactMap { $0["text"].text(.content) }
      .joined()
  }

  private static func lifecycle(_ type: String, _ json: JSONValue) -> Kind? {
    switch type {
    case "stream_connected", "app_events_connected": .streamConnected
    case "connected":
      Session(json: json["session"]).map {
        .connected($0, currentSequence: json["currentSeq"].int ?? 0)
      }
    case "state": Session(json: json["session"]).map(Kind.state)
    case "session_summary", "session_created", "session_imported", "session_discovered":
      Session(json: json["summary"]).map(Kind.summary)
    case "agent_start": .agentStart
    case "agent_end": .agentEnd
    case "agent_settled": .agentSettled
    case "compaction_start": .compactionStart
    case "compaction_end": .compactionEnd(willRetry: json["willRetry"].bool ?? false)
    case "retry_start":
      .retryStart(
        attempt: json["attempt"].int ?? 0,
        of: json["maxAttempts"].int ?? 0,
        delay: .milliseconds(json["delayMs"].int ?? 0),
        error: json["errorMessage"].text(.sentence) ?? ""
      )
    case "retry_end":
      .retryEnd(success: json["success"].bool ?? false, error: json["finalError"].text(.sentence))
    case "stop_requested": .stopRequested
    case "stop_confirmed": .stopConfirmed(reason: json["reason"].text(.sentence))
    case "stop_failed": .stopFailed(reason: json["reason"].text(.sentence))
    case "session_ended": .sessionEnded(reason: json["reason"].text(.sentence))
    case "session_deleted": .sessionDeleted
    default: nil
    }
  }

  private static func tool(_ type: String, _ json: JSONValue) -> Kind? {
    let callID = json["toolCallId"].text(.name)
    let tool = json["tool"].text(.name) ?? ""
    return switch type {
    case "tool_start": .toolStart(ToolCall(id: callID, tool: tool, arguments: json["args"]))
    case "tool_update": .toolUpdate(ToolCall(id: callID, tool: tool, arguments: json["args"]))
    case "tool_output":
      .toolOutput(
        ToolOutput(
          callID: callID,
          text: json["output"].text(.content) ?? "",
          replaces: json["mode"] == "replace",
          isTruncated: json["truncated"].bool ?? false,
          totalBytes: json["totalBytes"].int
        )
      )
    case "tool_end":
      .toolEnd(
        callID: callID,
        tool: tool,
        isError: json["isError"].bool ?? false,
        details: json["details"]
      )
    default: nil
    }
  }

  private static func answer(_ type: String, _ json: JSONValue) -> Kind? {
    switch type {
    case "turn_ack":
      .turnAcknowledged(
        TurnAcknowledgement(
          clientTurnID: json["clientTurnId"].text(.name) ?? "",
          stage: json["stage"].text(.name).flatMap(TurnAcknowledgement.Stage.init),
          isDuplicate: json["duplicate"].bool ?? false
        )
      )
    // Servers of early 2026 use the second name.
    case "command_result", "rpc_result":
      .commandResult(
        CommandResult(
          requestID: json["requestId"].text(.name),
          failure: json["success"] == true ? nil : json["error"].text(.sentence) ?? "refused",
          data: json["data"]
        )
      )
    case "error", "session_error":
      .error(
        message: json[type == "error" ? "error" : "message"].text(.sentence) ?? "unknown error",
        code: json["code"].text(.name),
        isFatal: json["fatal"].bool ?? false
      )
    default: nil
    }
  }

  private static func human(_ type: String, _ json: JSONValue) -> Kind? {
    switch type {
    case "extension_ui_notification": return notification(json)
    case "notice", "cache_miss": return .notification(json["message"].text(.sentence))
    default: break
    }
    guard let id = json["id"].text(.name) else { return nil }
    return switch type {
    case "permission_request": PermissionRequest(json: json).map(Kind.permissionRequest)
    case "permission_expired": .permissionExpired(id: id)
    case "permission_cancelled": .permissionCancelled(id: id)
    case "extension_ui_request":
      .question(UserQuestion(id: id, method: json["method"].text(.name) ?? "", body: json))
    case "extension_ui_settled": .questionSettled(id: id)
    default: nil
    }
  }

  private static func notification(_ json: JSONValue) -> Kind {
    guard json["method"] == "setStatus", let key = json["statusKey"].text(.name) else {
      return .notification(json["message"].text(.sentence))
    }
    let text = json["statusText"].text(.sentence)
    return .statusChanged(key: key, text: text?.isEmpty == true ? nil : text)
  }
}
