// SPDX-License-Identifier: MIT

extension QueuedPrompt {
  /// The object of its file.
  package var json: JSONValue {
    .object([
      "key": .string(key.text),
      "isKeyKept": .bool(isKeyKept),
      "isQueued": .bool(isQueued),
      "contentDigest": .string(contentDigest),
      "serverId": .string(target.serverID.text),
      "serverName": .string(target.serverName),
      "workspaceId": target.workspaceID.map(JSONValue.string),
      "workspaceName": target.workspaceName.map(JSONValue.string),
      "targetSessionId": target.sessionID.map(JSONValue.string),
      "conversation": conversation.map(JSONValue.string),
      "prompt": .string(content.text),
      "images": content.images.isEmpty ? nil : .array(content.images.map(\.json)),
      "model": content.model.map(JSONValue.string),
      "thinking": content.thinking.map { .string($0.rawValue) },
      "title": content.title.map(JSONValue.string),
      "defaultModel": content.defaults.model.map(JSONValue.string),
      "defaultThinking": content.defaults.thinking.map { .string($0.rawValue) },
      "createdAt": .integer(Int64(createdAt.milliseconds)),
      "expiresAt": expiresAt.map { .integer(Int64($0.milliseconds)) },
      "clientTurnId": .string(clientTurnID),
      "state": .string(isWaiting ? Self.waitingInFile : stateWord),
      "retryAt": retryAt.map { .integer(Int64($0.milliseconds)) },
      "departure": departure,
      "progress": progress.map { .string($0.rawValue) },
      "attempts": .integer(Int64(attempts)),
      "reason": reason.map { ["code": .string($0.code), "message": .string($0.message)] },
      "sessionId": sessionID.map(JSONValue.string),
      "mayHaveSession": .bool(mayHaveSession),
      "endsSession": .bool(endsSession),
      "changedAt": .integer(Int64(changedAt.milliseconds)),
    ])
  }

  /// The state of a waiting prompt in files of all versions.
  fileprivate static let waitingInFile = "queued"

  private var isWaiting: Bool {
    if case .waiting = state { true } else { false }
  }

  /// The time of the next attempt; `nil` if there is none, or if it is due at once.
  package var retryAt: Timestamp? {
    if case .waiting(let retryAt) = state { retryAt } else { nil }
  }

  private var progress: PromptDelivery.Progress? {
    if case .delivered(let progress) = state { progress } else { nil }
  }

  private var departure: JSONValue? {
    guard case .departed(let departure, let moment) = state else { return nil }
    return .object([
      "clientTurnId": .string(departure.clientTurnID),
      "kind": .string(departure.kind.rawValue),
      "anchor": .integer(Int64(departure.anchor)),
      "messageCount": .integer(Int64(departure.messageCount)),
      "dialect": .string(departure.dialect.rawValue),
      "at": .integer(Int64(moment.timeOfDay.milliseconds)),
      "sinceBoot": moment.sinceBoot.map { .integer(Int64($0.milliseconds)) },
    ])
  }

  /// Reads what ``json`` writes; `nil` if anything differs, so that no misread prompt is sent.
  package init?(json: JSONValue) {
    guard let key = json["key"].string.flatMap({ OutboxKey($0) }),
      let target = Target(json: json), let content = Prompt(queued: json),
      let isKeyKept = json["isKeyKept"].bool, let isQueued = json["isQueued"].bool,
      let contentDigest = json["contentDigest"].string,
      let createdAt = json["createdAt"].timestamp, let changedAt = json["changedAt"].timestamp,
      let clientTurnID = json["clientTurnId"].string, !clientTurnID.isEmpty,
      let state = State(json: json), let attempts = json["attempts"].int,
      let mayHaveSession = json["mayHaveSession"].bool,
      let endsSession = json["endsSession"].bool
    else { return nil }
    self.init(
      key: key,
      isKeyKept: isKeyKept,
      target: target,
      content: content,
      createdAt: createdAt,
      expiresAt: json["expiresAt"].timestamp,
      clientTurnID: clientTurnID
    )
    self.isQueued = isQueued
    self.contentDigest = contentDigest
    self.state = state
    self.attempts = max(0, attempts)
    self.mayHaveSession = mayHaveSession
    self.endsSession = endsSession
    self.changedAt = changedAt
    reason = FailureReason(json: json["reason"])
    conversation = json["conversation"].string
    guard json["conversation"] == .null || conversation != nil else { return nil }
    guard json["sessionId"] == .null || json["sessionId"].wireID != nil else { return nil }
    sessionID = json["sessionId"].wireID
  }
}

extension QueuedPrompt.Target {
  fileprivate init?(json: JSONValue) {
    guard let serverID = json["serverId"].string.flatMap({ Fingerprint($0) }) else { return nil }
    self.init(
      serverID: serverID,
      serverName: json["serverName"].string?.safeLine(limit: 120) ?? serverID.text,
      workspaceID: json["workspaceId"].wireID,
      workspaceName: json["workspaceName"].string?.safeLine(limit: 120),
      sessionID: json["targetSessionId"].wireID
    )
    guard workspaceID != nil || sessionID != nil,
      json["targetSessionId"] == .null || sessionID != nil
    else { return nil }
  }
}

extension Prompt {
  /// Reads the members of a queued prompt's file.
  fileprivate init?(queued json: JSONValue) {
    guard let text = json["prompt"].string else { return nil }
    self.init(text)
    model = json["model"].string
    title = json["title"].string
    thinking = json["thinking"].string.flatMap { ThinkingLevel(rawValue: $0) }
    defaults.model = json["defaultModel"].string
    defaults.thinking = json["defaultThinking"].string.flatMap { ThinkingLevel(rawValue: $0) }
    for image in json["images"].array ?? [] {
      guard let type = image["mimeType"].string,
        let data = image["data"].string.flatMap({ Base64.decode($0) })
      else { return nil }
      images.append(ImageAttachment(mediaType: type, data: data))
    }
  }
}

extension FailureReason {
  fileprivate init?(json: JSONValue) {
    guard let code = json["code"].string, let message = json["message"].string else { return nil }
    self.init(code: code.safeLine(limit: 60), message: message.safeLine())
  }
}

extension QueuedPrompt.State {
  fileprivate init?(json: JSONValue) {
    switch json["state"].string {
    case QueuedPrompt.waitingInFile: self = .waiting(retryAt: json["retryAt"].timestamp)
    case "checking":
      guard let departure = PromptDelivery.Departure(json: json["departure"]),
        let moment = MachineTime(json: json["departure"])
      else { return nil }
      self = .departed(departure, at: moment)
    case "delivered":
      let progress = json["progress"].string.flatMap { PromptDelivery.Progress(rawValue: $0) }
      self = .delivered(progress ?? .accepted)
    case "failed": self = .failed
    case "expired": self = .expired
    case "unknown": self = .unknown
    default: return nil
    }
  }
}

extension PromptDelivery.Departure {
  fileprivate init?(json: JSONValue) {
    guard let clientTurnID = json["clientTurnId"].string, !clientTurnID.isEmpty,
      let kind = json["kind"].string.flatMap({ Kind(rawValue: $0) }),
      let anchor = json["anchor"].int, let messageCount = json["messageCount"].int,
      let dialect = json["dialect"].string.flatMap({ PairedServer.Dialect(rawValue: $0) })
    else { return nil }
    self.init(
      clientTurnID: clientTurnID,
      kind: kind,
      anchor: anchor,
      messageCount: messageCount,
      dialect: dialect
    )
  }
}

extension MachineTime {
  fileprivate init?(json: JSONValue) {
    guard let timeOfDay = json["at"].timestamp else { return nil }
    guard json["sinceBoot"] == .null || json["sinceBoot"].int != nil else { return nil }
    self.init(timeOfDay: timeOfDay, sinceBoot: json["sinceBoot"].int.map { .milliseconds($0) })
  }
}

extension JSONValue {
  fileprivate var timestamp: Timestamp? { int.map { Timestamp(milliseconds: $0) } }
}
