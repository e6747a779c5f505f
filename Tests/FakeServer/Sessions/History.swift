// SPDX-License-Identifier: MIT

import OppiModel

struct History: Sendable {
  private(set) var messageCount = 0
  var lastActivity: Timestamp
  /// When the model last sent a text.
  private(set) var lastReply: Timestamp?
  private var firstMessage: String?
  private var lastMessage: String?
  private var inputTokens = 0
  private var outputTokens = 0
  private var contextTokens: Int?

  init(beginning: Timestamp) {
    lastActivity = beginning
  }

  /// The tokens of each model call, in addition to its output.
  private static let inputTokensPerCall = 1200
  private static let cachedTokensPerCall = 800

  /// Counts a sent prompt, even if it is rejected or lost.
  mutating func take(prompt: String, at now: Timestamp) {
    firstMessage = firstMessage ?? String(prompt.prefix(200))
    note(prompt, at: now)
  }

  /// Counts a message of the model; a message without text only counts its tokens.
  mutating func say(thinking: String, text: String, at now: Timestamp) {
    let tokens = max(1, (thinking.count + text.count) / 4)
    inputTokens += Self.inputTokensPerCall
    outputTokens += tokens
    contextTokens = Self.inputTokensPerCall + Self.cachedTokensPerCall + tokens
    if !text.isEmpty {
      note(text, at: now)
      lastReply = now
    }
    lastActivity = now
  }

  mutating func take(_ result: ToolResult, at now: Timestamp) {
    note(result.output, at: now)
  }

  func members(_ dialect: Dialect) -> JSONObject {
    let cached = Self.cachedTokensPerCall * (inputTokens / Self.inputTokensPerCall)
    let cost = Double(inputTokens * 3 + outputTokens * 15) / 1e6 + Double(cached) * 0.3 / 1e6
    return [
      "lastActivity": lastActivity.json,
      "messageCount": .number(messageCount),
      "tokens": .object([
        "input": .number(inputTokens),
        "output": .number(outputTokens),
        "cacheRead": dialect.countsCachedTokens ? .number(cached) : nil,
        "cacheWrite": dialect.countsCachedTokens ? 0 : nil,
      ]),
      "cost": cost == 0 ? 0 : .double(cost),
      "firstMessage": firstMessage.map(JSONValue.string),
      "lastMessage": lastMessage.map(JSONValue.string),
      "contextTokens": contextTokens.map { .number($0) },
    ]
  }

  private mutating func note(_ text: String, at now: Timestamp) {
    messageCount += 1
    lastMessage = String(text.prefix(100))
    lastActivity = now
  }
}
