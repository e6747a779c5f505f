// SPDX-License-Identifier: MIT

/// The object of a prompt's file.
///
/// It is rejected if anything is not as it was written, because a prompt that cannot be understood
/// must not be sent.
extension QueuedPrompt: ShapedRecord {
  package static let shape = RecordShape(
    QueuedPrompt.blank,
    [
      .required("key", \.key, .outboxKey),
      .required("isKeyKept", \.isKeyKept, .bool),
      .required("isQueued", \.isQueued, .bool),
      .required("contentDigest", \.contentDigest, .text),
      .required("serverId", \.target.namedServerID, .fingerprint),
      .defaulted("serverName", \.target.serverName, .line(120)),
      .optional("workspaceId", \.target.workspaceID, .wireID),
      .optional("workspaceName", \.target.workspaceName, .line(120)),
      .strict("targetSessionId", \.target.sessionID, .wireID),
      .strict("conversation", \.content.conversation, .conversation),
      .required("prompt", \.content.text, .text),
      .custom("images") { prompt in
        let images = prompt.content.images
        return images.isEmpty ? nil : .array(images.map(\.json))
      } read: { value, _, prompt in
        guard let images = value?.array else { return true }
        prompt.content.images = images.compactMap { ImageAttachment(json: $0) }
        return prompt.content.images.count == images.count
      },
      .optional("model", \.content.model, .text),
      .optional("thinking", \.content.thinking, .word),
      .optional("title", \.content.title, .text),
      .optional("defaultModel", \.content.defaults.model, .text),
      .optional("defaultThinking", \.content.defaults.thinking, .word),
      .required("createdAt", \.createdAt, .milliseconds),
      .optional("expiresAt", \.expiresAt, .milliseconds),
      .strict("notBefore", \.notBefore, .milliseconds),
      .strict("expectedMessageCount", \.expectedMessageCount, .count),
      .strict("dayBudget", \.content.budget.day, .dollars),
      .strict("monthBudget", \.content.budget.month, .dollars),
      .required("clientTurnId", \.content.clientTurnID, .nonEmptyText),
      .required("state", \.state, .stateWord),
      .optional("retryAt", \.retryAt, .milliseconds),
      .optional("departure", \.sending, .object(Sending.shape)),
      .strict("launchedAt", \.launchedAt, .milliseconds),
      .strict("launchedSinceBoot", \.launchedSinceBoot, .milliseconds),
      .optional("progress", \.progress, .word),
      .required("attempts", \.attempts, .count),
      .optional("reason", \.reason, .object(FailureReason.shape)),
      .strict("sessionId", \.sessionID, .wireID),
      .required("mayHaveSession", \.mayHaveSession, .bool),
      .required("endsSession", \.endsSession, .bool),
      .required("changedAt", \.changedAt, .milliseconds),
    ]
  ) { prompt in
    prompt.hasPlace && prompt.sending != .blank
  }

  private static var blank: QueuedPrompt {
    QueuedPrompt(
      key: .blank,
      target: Target(on: .blank, named: ""),
      content: Prompt(""),
      createdAt: Timestamp(milliseconds: 0)
    )
  }

  private var hasPlace: Bool { target.workspaceID != nil || target.sessionID != nil }
}

// MARK: - State

/// The state's members are after it in the file: a state is read first, then its values.
extension QueuedPrompt {
  /// The time of the next attempt; `nil` if there is none, or if it is due at once.
  package fileprivate(set) var retryAt: Timestamp? {
    get { if case .waiting(let retryAt) = state { retryAt } else { nil } }
    set { if case .waiting = state { state = .waiting(retryAt: newValue) } }
  }

  fileprivate var progress: PromptDelivery.Progress? {
    get { if case .delivered(let progress) = state { progress } else { nil } }
    set { if case .delivered = state, let newValue { state = .delivered(newValue) } }
  }

  fileprivate var launchedAt: Timestamp? {
    get { if case .launched(let moment) = state { moment?.timeOfDay } else { nil } }
    set {
      guard case .launched = state else { return }
      state = .launched(at: newValue.map { MachineTime(timeOfDay: $0) })
    }
  }

  fileprivate var launchedSinceBoot: Duration? {
    get { if case .launched(let moment) = state { moment?.sinceBoot } else { nil } }
    set {
      guard case .launched(var moment?) = state else { return }
      moment.sinceBoot = newValue
      state = .launched(at: moment)
    }
  }

  var sending: Sending? {
    get {
      guard case .departed(let departure, let moment) = state else { return nil }
      return Sending(departure: departure, at: moment)
    }
    set {
      guard case .departed = state, let newValue else { return }
      state = .departed(newValue.departure, at: newValue.at)
    }
  }

  /// A departure and its time.
  struct Sending: Equatable {
    var departure: PromptDelivery.Departure
    var at: MachineTime

    static let blank = Sending(
      departure: .init(
        clientTurnID: "",
        kind: .prompt,
        anchor: 0,
        messageCount: 0,
        stream: .multiplexed
      ),
      at: MachineTime(timeOfDay: Timestamp(milliseconds: 0))
    )

    static let shape = RecordShape(
      Sending.blank,
      [
        .required("clientTurnId", \.departure.clientTurnID, .nonEmptyText),
        .required("kind", \.departure.kind, .word),
        .required("anchor", \.departure.anchor, .integer),
        .required("messageCount", \.departure.messageCount, .integer),
        .required("dialect", \.departure.stream, .word),
        .strict("epoch", \.departure.epoch, .text),
        .required("at", \.at.timeOfDay, .milliseconds),
        .strict("sinceBoot", \.at.sinceBoot, .milliseconds),
      ]
    )
  }
}

extension JSONField<QueuedPrompt.State> {
  /// The state without its values; `queued` is the word of a waiting prompt in files of all versions.
  fileprivate static var stateWord: JSONField {
    typealias Sending = QueuedPrompt.Sending
    return spelled {
      switch $0 {
      case .waiting: "queued"
      case .launched: "launched"
      default: $0.word
      }
    } _: { word in
      switch word {
      case "queued": .waiting(retryAt: nil)
      case "checking": .departed(Sending.blank.departure, at: Sending.blank.at)
      case "launched": .launched(at: nil)
      case "delivered": .delivered(.accepted)
      case "failed": .failed
      case "expired": .expired
      case "unknown": .unknown
      default: nil
      }
    }
  }
}

// MARK: - Parts

extension QueuedPrompt.Target {
  /// The server; its name is its id unless the file has one.
  fileprivate var namedServerID: Fingerprint {
    get { serverID }
    set { (serverID, serverName) = (newValue, newValue.text) }
  }
}

extension FailureReason {
  static let shape = RecordShape(
    FailureReason(code: "", message: ""),
    [
      .required("code", \.code, .line(60)),
      .required("message", \.message, .line(300)),
    ]
  )
}

extension JSONField<String> {
  fileprivate static var nonEmptyText: JSONField { text.accepting { !$0.isEmpty } }

  /// A shortcut; an object with its name in files of versions before 2026-12.
  fileprivate static var conversation: JSONField {
    JSONField(encode: { .string($0) }, decode: { $0.string ?? $0["shortcut"].string })
  }
}

extension ImageAttachment {
  fileprivate init?(json: JSONValue) {
    guard let type = json["mimeType"].string,
      let data = json["data"].string.flatMap({ Base64.decode($0) })
    else { return nil }
    self.init(mediaType: type, data: data)
  }
}
