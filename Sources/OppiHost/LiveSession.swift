// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel

/// A session: its record, its conversation and, while it is loaded, its agent.
@dynamicMemberLookup
package final class LiveSession {
  private let loop: EventLoop
  package var record: SessionRecord
  package private(set) var trace: Trace
  package internal(set) var agent: LoadedAgent?
  /// The current start of the agent.
  var start: Promise<Bool>?
  /// The summary that viewers of all sessions have.
  var announcedSummary: JSONValue?
  /// The number of loaded agents so far.
  var starts = 0

  init(_ record: SessionRecord, trace: Trace = Trace(), on loop: EventLoop) {
    self.loop = loop
    self.record = record
    self.trace = trace
  }

  package subscript<Value>(dynamicMember member: KeyPath<SessionRecord, Value>) -> Value {
    record[keyPath: member]
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<SessionRecord, Value>) -> Value {
    get { record[keyPath: member] }
    set { record[keyPath: member] = newValue }
  }

  // MARK: - The conversation

  /// Counts a sent prompt, even if it is rejected or lost.
  package func count(_ prompt: String) {
    record.history.take(prompt: prompt, at: loop.timestamp)
  }

  /// Adds a delivered prompt to the conversation; it was counted when it was sent.
  func receive(_ prompt: String) {
    record.history.lastActivity = loop.timestamp
    trace.receive(prompt, on: loop)
  }

  func say(thinking: String, text: String, calls: [IdentifiedCall] = []) {
    record.history.say(thinking: thinking, text: text, at: loop.timestamp)
    trace.say(thinking: thinking, text: text, calls: calls, on: loop)
  }

  func take(_ result: ToolResult, of call: IdentifiedCall) {
    record.history.take(result, at: loop.timestamp)
    trace.take(result, of: call, on: loop)
  }
}

/// The data of a session, with or without a loaded agent.
package struct SessionRecord: Sendable {
  package enum Status: String, Sendable {
    case starting
    case ready
    case busy
    case stopping
    case stopped
    /// The agent cannot start.
    case error
  }

  package let id: String
  package let workspace: Workspace
  package let createdAt: Timestamp
  package let parentID: String?
  package var name: String?
  package var model: String
  package var thinkingLevel: String?
  package var status = Status.starting
  package internal(set) var history: History
  /// How the session was created; `nil` if the server does not record it.
  var launch: Launch?
  /// When the current turn began; `nil` between turns.
  var turnStartedAt: Timestamp?

  package var json: JSONValue {
    JSONValue.object([
      "id": .string(id),
      "name": name.map(JSONValue.string),
      "status": .string(status.rawValue),
      "createdAt": createdAt.json,
      "model": .string(model),
      "workspaceId": .string(workspace.id),
      "workspaceName": .string(workspace.name),
      "contextWindow": .number(Model.named(model)?.contextWindow ?? 200_000),
      "thinkingLevel": thinkingLevel.map(JSONValue.string),
      "parentSessionId": parentID.map(JSONValue.string),
    ]).adding(history.members).adding([
      "runtime": "oppi",
      "lastAgentReplyAt": history.lastReply.map(\.json),
      "currentTurnStartedAt": turnStartedAt.map(\.json),
      "launch": launch?.json,
    ])
  }
}

/// What lists tell about the conversation of a session.
package struct History: Sendable {
  private var messageCount = 0
  package fileprivate(set) var lastActivity: Timestamp
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

  var members: JSONObject {
    let cached = Self.cachedTokensPerCall * (inputTokens / Self.inputTokensPerCall)
    let cost = Double(inputTokens * 3 + outputTokens * 15) / 1e6 + Double(cached) * 0.3 / 1e6
    return [
      "lastActivity": lastActivity.json,
      "messageCount": .number(messageCount),
      "tokens": [
        "input": .number(inputTokens),
        "output": .number(outputTokens),
        "cacheRead": .number(cached),
        "cacheWrite": 0,
      ],
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

/// The recorded conversation; messages are added when they end.
package struct Trace: Sendable {
  private var all: [JSONValue] = []
  /// Whether the model has sent a message; the entries before it are written together with it.
  private var hasBegun = false

  package var entries: [JSONValue] { hasBegun ? all : [] }

  /// The part that another process can read.
  package var reopened: Trace { hasBegun ? self : Trace() }

  mutating func receive(_ prompt: String, on loop: EventLoop) {
    append("user", ["text": .string(prompt)], on: loop)
  }

  mutating func say(
    thinking: String,
    text: String,
    calls: [IdentifiedCall],
    on loop: EventLoop
  ) {
    hasBegun = true
    if !thinking.isEmpty { append("thinking", ["thinking": .string(thinking)], on: loop) }
    if !text.isEmpty { append("assistant", ["text": .string(text)], on: loop) }
    for (id, call) in calls {
      append("toolCall", id: id, ["tool": .string(call.tool), "args": call.arguments], on: loop)
    }
  }

  mutating func take(_ result: ToolResult, of call: IdentifiedCall, on loop: EventLoop) {
    append(
      "toolResult",
      [
        "toolCallId": .string(call.id),
        "toolName": .string(call.call.tool),
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
    all.append(entry.adding(members))
  }
}

/// A model that agents can use.
package struct Model: Sendable {
  /// The provider and the model's own ID, separated by a slash.
  package let id: String
  let name: String
  let contextWindow: Int

  /// The models of every server; the first one is the default.
  package static let all = [
    Model(id: "openai-codex/gpt-5.3-codex", name: "GPT-5.3 Codex", contextWindow: 272_000),
    Model(id: "anthropic/claude-opus-4-6", name: "Claude Opus 4.6", contextWindow: 200_000),
    Model(id: "anthropic/claude-sonnet-4-6", name: "Claude Sonnet 4.6", contextWindow: 1_000_000),
    Model(id: "openrouter/z.ai/glm-5", name: "GLM 5", contextWindow: 128_000),
    Model(id: "lmstudio/glm-4.7-flash", name: "GLM 4.7 Flash", contextWindow: 131_072),
  ]

  package static let defaultID = "openai-codex/gpt-5.3-codex"

  package static func named(_ id: String) -> Model? { all.first { $0.id == id } }

  /// Finds a model by its ID, its name or a part of it, with or without a thinking level.
  package static func matching(_ text: String) -> Model? {
    let text = text.lowercased()
    let parts = text.split(separator: ":", maxSplits: 1)
    let bare = parts.count == 2 && ThinkingLevel.isKnown(String(parts[1])) ? String(parts[0]) : text
    guard !bare.isEmpty else { return nil }
    return all.first { $0.id.lowercased() == bare || $0.modelID.lowercased() == bare }
      ?? all.first { $0.name.lowercased().contains(bare) || $0.id.lowercased().contains(bare) }
  }

  var provider: String { String(id.prefix { $0 != "/" }) }

  /// The ID without the provider; it may contain slashes.
  var modelID: String { String(id.dropFirst(provider.count + 1)) }

  var json: JSONValue {
    [
      "id": .string(id),
      "name": .string(name),
      "provider": .string(provider),
      "contextWindow": .number(contextWindow),
    ]
  }
}

extension ThinkingLevel {
  /// The level of servers since 0.42 that clients do not offer.
  private static let max = "max"

  static func isKnown(_ text: String) -> Bool {
    text == max || ThinkingLevel(rawValue: text) != nil
  }
}
