// SPDX-License-Identifier: MIT

extension SessionStatus {
  /// The members of a session's object, for ``FleetStatus/members``.
  static let members: [(path: String, meaning: String)] =
    [
      ("id", "The session's id"),
      ("workspaceId", "The workspace's id on its server, if known"),
      ("workspaceName", "The workspace's name, if known"),
      ("goal", "Its name, else the start of its first message, if any"),
      ("state", "waiting, failed, running, idle or done"),
      ("loaded", "Whether it is loaded on its server"),
      ("model", "Its model, if known"),
      ("cost", "Its cost so far, in dollars, if known"),
      ("changes", "Its file changes, if known"),
      ("changes.files", "The number of changed files"),
      ("changes.addedLines", "The number of added lines"),
      ("changes.removedLines", "The number of removed lines"),
      ("lastActivity", "When it was last active"),
      ("messageCount", "The number of its messages and tool results"),
      ("turn", "The running turn, or the last one if known"),
    ] + TurnSummary.members.map { ("turn.\($0.path)", $0.meaning) }
    + [("approvals", "Its pending approvals, the most urgent first")]
    + PendingApproval.members.map { ("approvals[].\($0.path)", $0.meaning) }
    + [
      ("question", "Its pending question, if any"),
      ("question.id", "The question's id"),
      ("question.text", "The question's text"),
    ]

  /// The object of the file.
  var json: JSONValue {
    .object([
      "id": .string(id),
      "workspaceId": workspaceID.map(JSONValue.string),
      "workspaceName": workspaceName.map(JSONValue.string),
      "goal": goal.map(JSONValue.string),
      "state": .string(phase.rawValue),
      "loaded": .bool(isLoaded),
      "model": model.map(JSONValue.string),
      "cost": cost.map(JSONValue.double),
      "changes": changes?.json,
      "lastActivity": lastActivity.json,
      "messageCount": .integer(Int64(messageCount)),
      "turn": turn?.json,
      "approvals": .array(approvals.map(\.json)),
      "question": question.map { ["id": .string($0.id), "text": .string($0.text)] },
    ])
  }

  /// Reads the object of the file; `nil` if the id or the state is missing.
  init?(json: JSONValue) {
    guard let id = json["id"].string, WireID.isValid(id),
      let phase = json["state"].string.flatMap(SessionPhase.init(rawValue:))
    else { return nil }
    self.init(
      id: id,
      workspaceID: json["workspaceId"].string.flatMap { WireID.isValid($0) ? $0 : nil },
      workspaceName: json["workspaceName"].line(120),
      goal: json["goal"].line(200),
      phase: phase,
      isLoaded: json["loaded"].bool ?? false,
      model: json["model"].line(120),
      cost: json["cost"].double.flatMap { (0...1e9).contains($0) ? $0 : nil },
      changes: Changes(json: json["changes"]),
      lastActivity: Timestamp(json: json["lastActivity"]) ?? Timestamp(milliseconds: 0),
      messageCount: json["messageCount"].count ?? 0,
      turn: TurnSummary(json: json["turn"]),
      approvals: PendingApproval.list(json: json["approvals"]),
      question: Question(json: json["question"])
    )
  }
}

extension SessionStatus.Changes {
  fileprivate var json: JSONValue {
    [
      "files": .integer(Int64(files)), "addedLines": .integer(Int64(addedLines)),
      "removedLines": .integer(Int64(removedLines)),
    ]
  }

  fileprivate init?(json: JSONValue) {
    guard json.object != nil else { return nil }
    self.init(
      files: json["files"].count ?? 0,
      addedLines: json["addedLines"].count ?? 0,
      removedLines: json["removedLines"].count ?? 0
    )
  }
}

extension SessionStatus.Question {
  fileprivate init?(json: JSONValue) {
    guard let id = json["id"].string, WireID.isValid(id) else { return nil }
    self.init(id: id, text: json["text"].line(400) ?? "")
  }
}

extension TurnSummary {
  fileprivate static let members: [(path: String, meaning: String)] = [
    ("startedAt", "When it started, if known"),
    ("endedAt", "When it ended, if known; absent while it runs"),
    ("operation", "The current operation, for example 'bash: swift test'"),
    ("todo", "The progress of its to-do list, if any"),
    ("todo.completed", "The number of completed items"),
    ("todo.total", "The number of items"),
    ("todo.current", "The current item, else the next one"),
    ("error", "Why it failed; absent if it did not fail"),
    ("outcome", "finished, empty, failed, stopped or unknown; absent while it runs"),
    ("end", "stopped or unknown, if it ended without success or failure"),
  ]

  var json: JSONValue {
    let word = end.map { JSONValue.string($0.rawValue) }
    return .object([
      "startedAt": startedAt?.json, "endedAt": endedAt?.json,
      "operation": operation.map(JSONValue.string), "todo": todo?.json,
      "error": failure.map(JSONValue.string),
      "outcome": word, "end": end == .stopped || end == .unknown ? word : nil,
    ])
  }

  init?(json: JSONValue) {
    guard json.object != nil else { return nil }
    self.init(
      startedAt: Timestamp(json: json["startedAt"]),
      endedAt: Timestamp(json: json["endedAt"]),
      operation: json["operation"].line(300),
      todo: TodoProgress(summary: json["todo"]),
      failure: json["error"].line(400),
      end: (json["outcome"].string ?? json["end"].string).flatMap(TurnEnd.init(rawValue:))
    )
  }
}

extension TodoProgress {
  fileprivate var json: JSONValue {
    .object([
      "completed": .integer(Int64(completed)), "total": .integer(Int64(total)),
      "current": current.map(JSONValue.string),
    ])
  }

  fileprivate init?(summary json: JSONValue) {
    guard let completed = json["completed"].count, let total = json["total"].count else {
      return nil
    }
    self.init(completed: completed, total: total, current: json["current"].line(200))
  }
}
