// SPDX-License-Identifier: MIT

import OppiModel

/// A conversation as it is written down, message by message as they end.
struct Trace: Sendable {
  private(set) var entries: [JSONValue] = []
  /// What was said before the model's first message, with which alone it is written.
  private var unwritten: [JSONValue] = []
  private var hasBegun = false

  /// What another process finds.
  var reopened: Trace {
    var trace = self
    trace.unwritten = []
    return trace
  }

  mutating func hear(_ prompt: String) {
    append("user", ["text": .string(prompt)])
  }

  mutating func say(thinking: String, text: String, calls: [(id: String, call: ScriptedCall)]) {
    hasBegun = true
    entries += unwritten
    unwritten = []
    if !thinking.isEmpty { append("thinking", ["thinking": .string(thinking)]) }
    if !text.isEmpty { append("assistant", ["text": .string(text)]) }
    for (id, call) in calls {
      append("toolCall", id: id, ["tool": .string(call.tool), "args": call.arguments])
    }
  }

  mutating func take(_ result: ToolResult, of call: ScriptedCall, id: String) {
    append(
      "toolResult",
      [
        "toolCallId": .string(id),
        "toolName": .string(call.tool),
        "output": .string(result.output),
        "isError": .bool(result.isError),
      ]
    )
  }

  private mutating func append(_ type: String, id: String? = nil, _ members: [String: JSONValue]) {
    let entry: JSONValue = [
      "id": .string(id ?? Identifier.make(Identifier.short)),
      "type": .string(type),
      "timestamp": .string(Timestamp.now.iso8601),
    ]
    if hasBegun {
      entries.append(entry.adding(members))
    } else {
      unwritten.append(entry.adding(members))
    }
  }
}
