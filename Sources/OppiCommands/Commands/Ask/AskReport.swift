// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// What `ask` says about one prompt.
struct AskReport {
  private let request: AskRequest
  /// Whether it is the only one of the command; else every line names its target.
  private let isOnlyOne: Bool

  init(_ request: AskRequest, isOnlyOne: Bool = true) {
    self.request = request
    self.isOnlyOne = isOnlyOne
  }

  /// `server/workspace`, or `server/session` for a session.
  var targetName: String {
    switch request.target {
    case .newSession(let target): target.qualifiedName
    case .session(let session): "\(session.server.name)/\(session.id)"
    }
  }

  func print(_ outcome: AskOutcome, elapsed: Duration, on console: Console) throws {
    if console.policy.isJSON { return try console.print(json(outcome, elapsed: elapsed)) }
    var line = StyledText(
      outcome.state == .queued ? "Queued behind the running turn in " : "Pi is working on it in "
    )
    line.append(isOnlyOne ? outcome.workspaceName ?? targetName : targetName, .name)
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
    if console.policy.isJSON {
      var report = json(outcome, elapsed: elapsed).object ?? [:]
      report["state"] = .string(ending.state)
      report["response"] = ending.answer.map(JSONValue.string) ?? .null
      if ending.answer.map(TurnActivity.isCut) == true { report["responseIsCut"] = true }
      return try console.print(.object(report))
    }
    guard let answer = ending.answer else { return }
    // A terminal gets safe text; a program gets the agent's own.
    let text = console.policy.isForEyes ? answer.safeBlock() : answer
    guard !isOnlyOne else { return try console.print(text) }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      try console.print("\(targetName)\t\(line)")
    }
  }

  /// Prints what is known of a turn that was to be waited for; people have the error.
  func print(_ failure: AskFailure, elapsed: Duration, on console: Console) throws {
    guard console.policy.isJSON else { return }
    let outcome: TurnOutcome
    switch failure.delivery {
    case .notSent: return
    case .refused: outcome = .failed("")
    case .unknown: outcome = .unknown(reason: nil)
    }
    let server = request.target.server
    try console.print([
      "state": .string(outcome.word),
      "sessionId": failure.sessionID.map(JSONValue.string) ?? .null,
      "workspace": targetWorkspace,
      "server": ["id": .string(server.id.text), "name": .string(server.name)],
      "clientTurnId": .string(failure.clientTurnID),
      "elapsedMs": .integer(Int64(elapsed.milliseconds)),
      "response": .null,
    ])
  }

  /// The workspace as far as the command line told it.
  private var targetWorkspace: JSONValue {
    switch request.target {
    case .newSession(let target):
      workspace(id: target.workspace.id, name: target.workspace.name)
    case .session(let session): workspace(id: session.workspaceID, name: session.workspaceName)
    }
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
      "requestedModel": request.model.flatMap { $0 == outcome.model ? nil : .string($0) },
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
    members["workspace"] = targetWorkspace
    if case .session(let session) = request.target { members["sessionId"] = .string(session.id) }
    return .members(members)
  }
}
