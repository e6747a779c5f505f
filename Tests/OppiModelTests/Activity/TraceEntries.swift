// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

extension JSONValue {
  static func prompt(_ text: String) -> JSONValue {
    ["type": "user", "text": .string(text)]
  }

  static func answer(_ text: String) -> JSONValue {
    ["type": "assistant", "text": .string(text)]
  }

  static let bashCall: JSONValue = [
    "type": "toolCall", "id": "t", "tool": "bash", "args": ["command": "ls"],
  ]

  static let bashResult: JSONValue = [
    "type": "toolResult", "toolCallId": "t", "toolName": "bash", "output": "a\n", "isError": false,
  ]
}

extension Conversation {
  mutating func load(
    _ trace: JSONValue...,
    status: String,
    isAgentLost: Bool = false
  ) throws -> [ActivityChange] {
    let session = try #require(Session(json: ["id": "s1", "status": .string(status)]))
    return reducer.load(
      trace: .array(trace),
      session: session,
      isAgentLost: isAgentLost,
      at: now
    )
  }
}

extension ActivityChange {
  var isTurn: Bool {
    switch self {
    case .turnStarted, .turnFinished: true
    default: false
    }
  }
}
