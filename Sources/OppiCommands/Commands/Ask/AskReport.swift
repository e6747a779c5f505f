// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// What `ask` says about one prompt.
struct AskReport {
  private let request: AskRequest

  init(_ request: AskRequest) {
    self.request = request
  }

  /// `server/workspace`, or `server/session` for a session.
  var targetName: String {
    switch request.target {
    case .newSession(let target): target.qualifiedName
    case .session(let session): "\(session.server.name)/\(session.id)"
    }
  }

  func print(
    _ outcome: AskOutcome,
    elapsed: Duration,
    isOnlyOne: Bool,
    on console: Console
  ) throws {
    let place = outcome.workspaceName ?? targetName
    if console.policy.isJSON {
      return try console.print(json(outcome, elapsed: elapsed))
    }
    let isQueued = outcome.state == .queued
    var line = StyledText(
      isQueued ? "Queued behind the running turn in " : "Pi is working on it in "
    )
    line.append(place, .name)
    console.status(line)
    try console.print(isOnlyOne ? outcome.sessionID : "\(outcome.sessionID)\t\(targetName)")
  }

  /// Prints what became of the turn: the answer alone, or the report with it.
  func print(
    _ outcome: AskOutcome,
    ending: TurnEnding,
    elapsed: Duration,
    on console: Console
  ) throws {
    guard console.policy.isJSON else {
      if let answer = ending.answer {
        // A terminal gets safe text; a program gets the agent's own.
        try console.print(console.policy.isForEyes ? answer.safeBlock() : answer)
      }
      return
    }
    var report = json(outcome, elapsed: elapsed).object ?? [:]
    report["state"] = .string(ending.state)
    report["response"] = ending.answer.map(JSONValue.string) ?? .null
    try console.print(.object(report))
  }

  private func json(_ outcome: AskOutcome, elapsed: Duration) -> JSONValue {
    let server = request.target.server
    return .members([
      "state": .string(outcome.state.rawValue),
      "sessionId": .string(outcome.sessionID),
      "workspace": workspace(id: outcome.workspaceID, name: outcome.workspaceName),
      "server": ["id": .string(server.id.text), "name": .string(server.name)],
      "clientTurnId": .string(outcome.clientTurnID),
      "model": outcome.model.map(JSONValue.string) ?? .null,
      "thinking": outcome.thinking.map(JSONValue.string) ?? .null,
      "elapsedMs": .integer(Int64(elapsed.milliseconds)),
    ])
  }

  private func workspace(id: String?, name: String?) -> JSONValue {
    let server = request.target.server
    let reference = id.flatMap { WorkspaceReference(serverID: server.id, workspaceID: $0) }
    return [
      "id": reference.map { .string($0.description) } ?? .null,
      "name": name.map(JSONValue.string) ?? .null,
    ]
  }

  func printDryRun(on console: Console) throws {
    let model = request.model ?? defaultModel
    if console.policy.isJSON {
      return try console.print(dryRunJSON(model: model))
    }
    var table = Table()
    for (label, value) in [
      ("to", targetName),
      ("model", model ?? "the workspace's own"),
      ("thinking", request.thinking?.rawValue ?? "the model's own"),
      ("pictures", request.images.isEmpty ? "" : String(request.images.count)),
      ("prompt", request.prompt.safeLine(limit: 2000)),
    ] where !value.isEmpty {
      table.add([StyledText(label, .dim), StyledText(value)])
    }
    try console.print(table)
  }

  private var defaultModel: String? {
    if case .newSession(let target) = request.target { target.workspace.defaultModel } else { nil }
  }

  private func dryRunJSON(model: String?) -> JSONValue {
    let server = request.target.server
    var members: [String: JSONValue?] = [
      "state": "dry-run",
      "server": ["id": .string(server.id.text), "name": .string(server.name)],
      "model": model.map(JSONValue.string) ?? .null,
      "thinking": request.thinking.map { .string($0.rawValue) } ?? .null,
      "prompt": .string(request.prompt),
      "images": .integer(Int64(request.images.count)),
    ]
    switch request.target {
    case .newSession(let target):
      members["workspace"] = workspace(id: target.workspace.id, name: target.workspace.name)
    case .session(let session):
      members["sessionId"] = .string(session.id)
      members["workspace"] = workspace(id: session.workspaceID, name: session.workspaceName)
    }
    return .members(members)
  }
}
