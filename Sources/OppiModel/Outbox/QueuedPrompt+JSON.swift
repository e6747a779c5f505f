// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

/// The object of a prompt's file.
///
/// It is rejected if anything is not as it was written, because a prompt that cannot be understood
/// must not be sent.
extension QueuedPrompt: ShapedRecord {
  package static let shape = RecordShape(
    QueuedPrompt.blank,
    [
      .required("key", { $1(&$0.key) }, .outboxKey),
      .required("isKeyKept", { $1(&$0.isKeyKept) }, .bool),
      .required("isQueued", { $1(&$0.isQueued) }, .bool),
      .required("contentDigest", { $1(&$0.contentDigest) }, .text),
      .required("serverId", { $1(&$0.target.namedServerID) }, .fingerprint),
      .defaulted("serverName", { $1(&$0.target.serverName) }, .line(120)),
      .optional("workspaceId", { $1(&$0.target.workspaceID) }, .wireID),
      .optional("workspaceName", { $1(&$0.target.workspaceName) }, .line(120)),
      .strict("targetSessionId", { $1(&$0.target.sessionID) }, .wireID),
      .strict("conversation", { $1(&$0.content.conversation) }, .conversation),
      .required("prompt", { $1(&$0.content.text) }, .text),
      .custom("images") { prompt in
        let images = prompt.content.images
        return images.isEmpty ? nil : .array(images.map(\.json))
      } read: { value, _, prompt in
        guard let images = value?.array else { return true }
        prompt.content.images = images.compactMap { ImageAttachment(json: $0) }
        return prompt.content.images.count == images.count
      },
      .optional("model", { $1(&$0.content.model) }, .text),
      .optional("thinking", { $1(&$0.content.thinking) }, .word),
      .optional("title", { $1(&$0.content.title) }, .text),
      .optional("defaultModel", { $1(&$0.content.defaults.model) }, .text),
      .optional("defaultThinking", { $1(&$0.content.defaults.thinking) }, .word),
      .required("createdAt", { $1(&$0.createdAt) }, .milliseconds),
      .optional("expiresAt", { $1(&$0.expiresAt) }, .milliseconds),
      .strict("notBefore", { $1(&$0.notBefore) }, .milliseconds),
      .strict("expectedMessageCount", { $1(&$0.expectedMessageCount) }, .count),
      .strict("dayBudget", { $1(&$0.content.budget.day) }, .dollars),
      .strict("monthBudget", { $1(&$0.content.budget.month) }, .dollars),
      .required("clientTurnId", { $1(&$0.content.clientTurnID) }, .nonEmptyText),
      .required("state", { $1(&$0.state) }, .stateWord),
      .optional("retryAt", { $1(&$0.retryAt) }, .milliseconds),
      .optional("departure", { $1(&$0.sending) }, .object(Sending.shape)),
      .strict("launchedAt", { $1(&$0.launchedAt) }, .milliseconds),
      .strict("launchedSinceBoot", { $1(&$0.launchedSinceBoot) }, .milliseconds),
      .optional("progress", { $1(&$0.progress) }, .word),
      .required("attempts", { $1(&$0.attempts) }, .count),
      .optional("reason", { $1(&$0.reason) }, .object(FailureReason.shape)),
      .strict("sessionId", { $1(&$0.sessionID) }, .wireID),
      .required("mayHaveSession", { $1(&$0.mayHaveSession) }, .bool),
      .required("endsSession", { $1(&$0.endsSession) }, .bool),
      .required("changedAt", { $1(&$0.changedAt) }, .milliseconds),
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
    var departure: PromptDelivery.SendRecord
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
        .required("clientTurnId", { $1(&$0.departure.clientTurnID) }, .nonEmptyText),
        .required("kind", { $1(&$0.departure.kind) }, .word),
        .required("anchor", { $1(&$0.departure.anchor) }, .integer),
        .required("messageCount", { $1(&$0.departure.messageCount) }, .integer),
        .required("dialect", { $1(&$0.departure.stream) }, .word),
        .strict("epoch", { $1(&$0.departure.epoch) }, .text),
        .required("at", { $1(&$0.at.timeOfDay) }, .milliseconds),
        .strict("sinceBoot", { $1(&$0.at.sinceBoot) }, .milliseconds),
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
      .required("code", { $1(&$0.code) }, .line(60)),
      .required("message", { $1(&$0.message) }, .line(300)),
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
