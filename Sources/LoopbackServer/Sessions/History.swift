// SPDX-License-Identifier: MIT

import OppiModel

/// What was said in a session, and what it has cost.
struct History {
  private(set) var messageCount = 0
  private(set) var trace: [JSONValue] = []
  var lastActivity = Timestamp.now
  private var firstMessage: String?
  private var lastMessage: String?
  private var inputTokens = 0
  private var outputTokens = 0
  private var contextTokens: Int?

  /// The tokens of each call of the model, beside what it writes.
  private static let inputTokensPerCall = 1200
  private static let cachedTokensPerCall = 800

  /// Counts a prompt when it is taken; it becomes part of the trace when its run begins.
  mutating func take(prompt: String) {
    firstMessage = firstMessage ?? String(prompt.prefix(200))
    note(prompt)
  }

  mutating func begin(prompt: String) {
    lastActivity = .now
    append("user", ["text": .string(prompt)])
  }

  /// Ends a message of the model; one without text does not count.
  mutating func say(thinking: String, text: String, calls: [(id: String, call: ScriptedCall)]) {
    let tokens = max(1, (thinking.count + text.count) / 4)
    inputTokens += Self.inputTokensPerCall
    outputTokens += tokens
    contextTokens = Self.inputTokensPerCall + Self.cachedTokensPerCall + tokens
    if !thinking.isEmpty { append("thinking", ["thinking": .string(thinking)]) }
    if !text.isEmpty {
      note(text)
      append("assistant", ["text": .string(text)])
    }
    for (id, call) in calls {
      append("toolCall", id: id, ["tool": .string(call.tool), "args": call.arguments])
    }
    lastActivity = .now
  }

  mutating func returned(_ result: ToolResult, of call: ScriptedCall, id: String) {
    note(result.output)
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

  /// The members of a session's object.
  func members(_ dialect: PairedServer.Dialect) -> [String: JSONValue?] {
    let cached = Self.cachedTokensPerCall * (inputTokens / Self.inputTokensPerCall)
    let isCurrent = dialect == .multiplexed
    let cost = Double(inputTokens * 3 + outputTokens * 15) / 1e6 + Double(cached) * 0.3 / 1e6
    return [
      "lastActivity": lastActivity.json,
      "messageCount": .number(messageCount),
      "tokens": .members([
        "input": .number(inputTokens),
        "output": .number(outputTokens),
        "cacheRead": isCurrent ? .number(cached) : nil,
        "cacheWrite": isCurrent ? 0 : nil,
      ]),
      "cost": cost == 0 ? 0 : .double(cost),
      "firstMessage": firstMessage.map(JSONValue.string),
      "lastMessage": lastMessage.map(JSONValue.string),
      "contextTokens": contextTokens.map { .number($0) },
    ]
  }

  private mutating func note(_ text: String) {
    messageCount += 1
    lastMessage = String(text.prefix(100))
    lastActivity = .now
  }

  private mutating func append(_ type: String, id: String? = nil, _ members: [String: JSONValue]) {
    let entry: JSONValue = [
      "id": .string(id ?? Identifier.make(Identifier.short)),
      "type": .string(type),
      "timestamp": .string(Timestamp.now.iso8601),
    ]
    trace.append(entry.adding(members))
  }
}
