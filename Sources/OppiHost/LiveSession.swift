// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiText
package import OppiWire

/// A session: its record and, while it is loaded, its agent.
@dynamicMemberLookup
package final class LiveSession {
  package var record: SessionRecord
  package internal(set) var agent: LoadedAgent?
  /// The current start of the agent.
  package internal(set) var start: Promise<Bool>?
  /// What asks for trust while the agent starts.
  var starter: LoadedAgent?
  /// The summary that viewers of all sessions have.
  var announcedSummary: JSONValue?
  /// The number of loaded agents so far.
  var starts = 0

  init(_ record: SessionRecord) {
    self.record = record
  }

  /// Whose dialogs are pending.
  var questioner: LoadedAgent? { agent ?? starter }

  package subscript<Value>(dynamicMember member: KeyPath<SessionRecord, Value>) -> Value {
    record[keyPath: member]
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<SessionRecord, Value>) -> Value {
    get { record[keyPath: member] }
    set { record[keyPath: member] = newValue }
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
  /// How the session was created; `nil` if the server does not record it.
  var launch: Launch?

  // MARK: The conversation

  package fileprivate(set) var lastActivity: Timestamp
  fileprivate(set) var messageCount = 0
  fileprivate(set) var firstMessage: String?
  fileprivate(set) var lastMessage: String?
  fileprivate(set) var modelCalls = 0
  fileprivate(set) var outputTokens = 0
  /// The messages that have ended.
  fileprivate(set) var entries: [JSONValue] = []
  /// Whether the model has sent a message; the entries before it are written together with it.
  fileprivate(set) var hasBegun = false

  /// The recorded conversation.
  package var trace: [JSONValue] { hasBegun ? entries : [] }

  /// The record as another process reads it, with the conversation of a newer one.
  package func reopened(with newer: SessionRecord) -> SessionRecord {
    var record = self
    (record.entries, record.hasBegun) = (newer.trace, newer.hasBegun)
    return record
  }

  package var json: JSONValue {
    .object([
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
      "lastActivity": lastActivity.json,
      "messageCount": .number(messageCount),
      "cost": cost == 0 ? 0 : .double(cost),
      "firstMessage": firstMessage.map(JSONValue.string),
      "lastMessage": lastMessage.map(JSONValue.string),
      "runtime": "oppi",
      "launch": launch?.json,
    ])
  }
}

// MARK: - The conversation

extension SessionRecord {
  /// The cost in dollars: each call of the model reads 1200 new and 800 cached tokens; a model of
  /// the server's own machine costs nothing.
  private var cost: Double {
    guard !model.hasPrefix("lmstudio/") else { return 0 }
    let cached = Double(modelCalls * 800) * 0.3 / 1e6
    return Double(modelCalls * 1200 * 3 + outputTokens * 15) / 1e6 + cached
  }

  /// Counts a sent prompt, even if it is rejected or lost.
  package mutating func count(_ prompt: String, on loop: EventLoop) {
    firstMessage = firstMessage ?? String(prompt.prefix(200))
    note(prompt, at: loop.timestamp)
  }

  /// Adds a delivered prompt to the conversation; it was counted when it was sent.
  mutating func receive(_ prompt: String, on loop: EventLoop) {
    lastActivity = loop.timestamp
    append("user", ["text": .string(prompt)], on: loop)
  }

  /// Adds a message of the model; a message without text only counts its tokens.
  mutating func say(
    thinking: String,
    text: String,
    calls: [IdentifiedCall],
    on loop: EventLoop
  ) {
    let now = loop.timestamp
    modelCalls += 1
    outputTokens += max(1, (thinking.count + text.count) / 4)
    lastActivity = now
    hasBegun = true
    if !thinking.isEmpty { append("thinking", ["thinking": .string(thinking)], on: loop) }
    if !text.isEmpty {
      note(text, at: now)
      append("assistant", ["text": .string(text)], on: loop)
    }
    for (id, call) in calls {
      append("toolCall", id: id, ["tool": .string(call.tool), "args": call.arguments], on: loop)
    }
  }

  mutating func take(_ result: ToolResult, of call: IdentifiedCall, on loop: EventLoop) {
    note(result.output, at: loop.timestamp)
    var members: JSONObject = [
      "toolCallId": .string(call.id), "toolName": .string(call.call.tool),
      "output": .string(result.output), "isError": .bool(result.isError),
    ]
    members["details"] = result.details
    append("toolResult", members, on: loop)
  }

  private mutating func note(_ text: String, at now: Timestamp) {
    messageCount += 1
    lastMessage = String(text.prefix(100))
    lastActivity = now
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
    entries.append(entry.adding(members))
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
    let hasLevel = parts.count == 2 && ThinkingLevel(rawValue: String(parts[1])) != nil
    let bare = hasLevel ? String(parts[0]) : text
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
