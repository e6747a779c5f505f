// SPDX-License-Identifier: MIT

import OppiModel

/// The data of a session, with or without a loaded agent.
struct SessionRecord: Sendable {
  enum Status: String {
    case starting
    case ready
    case busy
    case stopping
    case stopped
    /// The agent cannot start.
    case error
  }

  let id: String
  let workspace: Workspace
  let createdAt: Timestamp
  let parentID: String?
  var name: String?
  var model: String
  var thinkingLevel: String?
  var status = Status.starting
  var history: History
  /// How the session was created; `nil` if the server does not record it.
  var launch: Launch?
  /// When the current turn began; `nil` between turns.
  var turnStartedAt: Timestamp?

  init(
    id: String,
    workspace: Workspace,
    name: String?,
    model: String,
    parentID: String? = nil,
    createdAt: Timestamp
  ) {
    self.id = id
    self.workspace = workspace
    self.name = name
    self.model = model
    self.parentID = parentID
    self.createdAt = createdAt
    history = History(beginning: createdAt)
  }

  func json(_ dialect: Dialect) -> JSONValue {
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
    ]).adding(history.members(dialect))
      .adding(dialect.hasSessionSockets ? laterMembers : [:])
      .adding(["launch": dialect.hasSessionSockets ? launch?.json : nil])
  }

  /// The form for lists.
  func summary(_ dialect: Dialect) -> JSONValue {
    .object(JSONObject((json(dialect).object ?? [:]).filter { $0.key != "launch" }))
  }

  /// The members of servers with session sockets.
  private var laterMembers: JSONObject {
    [
      "runtime": "oppi",
      "lastAgentReplyAt": history.lastReply.map(\.json),
      "currentTurnStartedAt": turnStartedAt.map(\.json),
    ]
  }
}
