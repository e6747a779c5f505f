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
  }
}
