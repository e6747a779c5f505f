// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

/// What a server can send: a message, or the event of a delivery that it is.
protocol FromServer {
  static func message(_ json: JSONValue) -> Self
}

extension ServerMessage: FromServer {
  static func message(_ json: JSONValue) -> ServerMessage {
    ServerMessage(json: json) ?? ServerMessage(.unknown(type: "none"))
  }
}

extension PromptDelivery.Event: FromServer {
  static func message(_ json: JSONValue) -> Self { .received(.message(json)) }
}

/// What a server tells during deliveries.
extension FromServer {
  private static func session(_ status: String, messageCount: Int) -> JSONValue {
    [
      "id": "S", "status": .string(status), "messageCount": .integer(Int64(messageCount)),
      "model": "some/model", "thinkingLevel": "low",
    ]
  }

  static func connected(
    _ status: String,
    sequence: Int = 0,
    messageCount: Int = 0,
    epoch: String? = nil
  ) -> Self {
    message(
      .object([
        "type": "connected", "session": session(status, messageCount: messageCount),
        "currentSeq": .integer(Int64(sequence)), "runtimeEpoch": epoch.map(JSONValue.string),
      ])
    )
  }

  static func summary(_ status: String, messageCount: Int = 0) -> Self {
    message(["type": "session_summary", "summary": session(status, messageCount: messageCount)])
  }

  static func state(_ status: String, messageCount: Int = 0) -> Self {
    message(["type": "state", "session": session(status, messageCount: messageCount)])
  }

  static func result(
    _ id: String,
    failure: String? = nil,
    data: JSONValue = .null
  ) -> Self {
    message(
      .object([
        "type": "command_result", "command": "any", "requestId": .string(id),
        "success": .bool(failure == nil), "error": failure.map(JSONValue.string), "data": data,
      ])
    )
  }

  static func acknowledged(
    _ turnID: String,
    _ stage: String,
    isDuplicate: Bool = false
  ) -> Self {
    message(
      .object([
        "type": "turn_ack", "clientTurnId": .string(turnID), "stage": .string(stage),
        "duplicate": isDuplicate ? true : nil,
      ])
    )
  }

  static func error(_ text: String, sequence: Int? = nil, code: String? = nil) -> Self {
    message(
      .object([
        "type": "error", "error": .string(text), "seq": sequence.map { .integer(Int64($0)) },
        "code": code.map(JSONValue.string),
      ])
    )
  }

  static func agentStart(_ sequence: Int) -> Self {
    message(["type": "agent_start", "seq": .integer(Int64(sequence))])
  }

  static func agentEnd(_ sequence: Int) -> Self {
    message(["type": "agent_end", "seq": .integer(Int64(sequence))])
  }

  static func user(_ text: String, _ sequence: Int) -> Self {
    message([
      "type": "message_end", "role": "user", "content": .string(text),
      "seq": .integer(Int64(sequence)),
    ])
  }

  static func queue(_ ids: [String]) -> Self {
    let items = ids.map { id -> JSONValue in ["id": .string(id), "message": "text"] }
    return message([
      "type": "queue_state", "queue": ["version": 1, "steering": [], "followUp": .array(items)],
    ])
  }
}
