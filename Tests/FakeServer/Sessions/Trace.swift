// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The recorded conversation; messages are added when they end.
struct Trace: Sendable {
  private(set) var entries: [JSONValue] = []
  /// The entries before the model's first message; they are written together with it.
  private var unwritten: [JSONValue] = []
  private var hasBegun = false

  /// The part that another process can read.
  var reopened: Trace {
    var trace = self
    trace.unwritten = []
    return trace
  }

  mutating func hear(_ prompt: String, on loop: EventLoop) {
    append("user", ["text": .string(prompt)], on: loop)
  }

  mutating func say(
    thinking: String,
    text: String,
    calls: [(id: String, call: ScriptedCall)],
    on loop: EventLoop
  ) {
    hasBegun = true
    entries += unwritten
    unwritten = []
    if !thinking.isEmpty { append("thinking", ["thinking": .string(thinking)], on: loop) }
    if !text.isEmpty { append("assistant", ["text": .string(text)], on: loop) }
    for (id, call) in calls {
      append("toolCall", id: id, ["tool": .string(call.tool), "args": call.arguments], on: loop)
    }
  }

  mutating func take(_ result: ToolResult, of call: ScriptedCall, id: String, on loop: EventLoop) {
    append(
      "toolResult",
      [
        "toolCallId": .string(id),
        "toolName": .string(call.tool),
        "output": .string(result.output),
        "isError": .bool(result.isError),
      ],
      on: loop
    )
  }

  private mutating func append(
    _ type: String,
    id: String? = nil,
    _ members: JSONObject,
    on loop: EventLoop
  ) {
    let entry: JSONValue = [
      "id": .string(id ?? loop.makeID(.short)),
      "type": .string(type),
      "timestamp": .string(loop.timestamp.iso8601WithMilliseconds),
    ]
    if hasBegun {
      entries.append(entry.adding(members))
    } else {
      unwritten.append(entry.adding(members))
    }
  }
}

extension Timestamp {
  /// The format of agents: `2026-11-21T00:24:45.070Z`.
  fileprivate var iso8601WithMilliseconds: String {
    let fraction = String(1000 + milliseconds - seconds * 1000).dropFirst()
    return "\(iso8601.dropLast()).\(fraction)Z"
  }
}
