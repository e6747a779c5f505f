// SPDX-License-Identifier: MIT

/// A prompt in the outbox, from its creation to its end, as stored in its file.
package struct QueuedPrompt: Sendable, Hashable {
  package struct Target: Sendable, Hashable {
    package var serverID: Fingerprint
    /// The server's name when the prompt was stored.
    package var serverName: String
    /// `nil` for a session whose workspace is unknown.
    package var workspaceID: String?
    package var workspaceName: String?
    /// The destination session; `nil` for a new one.
    package var sessionID: String?

    package var workspace: WorkspaceReference? {
      workspaceID.flatMap { WorkspaceReference(serverID: serverID, workspaceID: $0) }
    }

    package init(
      serverID: Fingerprint,
      serverName: String,
      workspaceID: String?,
      workspaceName: String?,
      sessionID: String?
    ) {
      self.serverID = serverID
      self.serverName = serverName
      self.workspaceID = workspaceID
      self.workspaceName = workspaceName
      self.sessionID = sessionID
    }
  }

  /// A destination that prompts can share.
  package enum Place: Sendable, Hashable {
    case workspace(String)
    case session(String)
    case conversation(String)
  }

  package enum State: Sendable, Hashable {
    /// Not sent; the next attempt is at `retryAt`, or at once if `nil`.
    case waiting(retryAt: Timestamp?)
    /// Sent; the server must be queried for the result.
    case departed(PromptDelivery.Departure, at: MachineTime)
    /// The request that creates its session with the prompt was made, first at a moment, which
    /// older files do not have; the server must be queried for the result.
    case launched(at: MachineTime?)
    /// The server has accepted it.
    case delivered(PromptDelivery.Progress)
    case failed
    /// It was not delivered in time, and will not be.
    case expired
    /// Whether it ran can no longer be determined; it is not sent again.
    case unknown
  }

  package internal(set) var key: OutboxKey
  /// Whether the user chose the key, which then stays reserved after the delivery.
  package var isKeyKept: Bool
  /// Whether a failed delivery is retried later, also by other processes.
  package var isQueued = true
  package var target: Target
  /// The shortcut whose conversation the prompt continues: in the session of its previous run, or
  /// in a new one if that is gone; `nil` to use the target alone.
  package var conversation: String?
  package var content: Prompt
  package var createdAt: Timestamp
  package var expiresAt: Timestamp?
  /// No attempt is made before this time, except for the prompt alone at the user's request.
  package var notBefore: Timestamp?
  /// The number of messages that its session must still have; `nil` for any number.
  package var expectedMessageCount: Int?
  package var budget = Budget()
  /// The id by which the server recognises the prompt.
  package var clientTurnID: String
  package var state = State.waiting(retryAt: nil)
  package var attempts = 0
  /// Why the last attempt did not deliver the prompt.
  package var reason: FailureReason?
  /// The session that was created for the prompt, or that received it.
  package var sessionID: String?
  /// Whether a session may have been created for the prompt without confirmation.
  package var mayHaveSession = false
  /// Whether to end the session after the turn; false again once that is done.
  package var endsSession = false
  /// Identifies the content after it was removed.
  package var contentDigest: String
  package var changedAt: Timestamp

  package init(
    key: OutboxKey,
    isKeyKept: Bool,
    target: Target,
    content: Prompt,
    createdAt: Timestamp,
    expiresAt: Timestamp?,
    clientTurnID: String
  ) {
    self.key = key
    self.isKeyKept = isKeyKept
    self.target = target
    self.content = content
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.clientTurnID = clientTurnID
    contentDigest = content.digest
    changedAt = createdAt
  }
}

extension QueuedPrompt {
  /// The title of the created session, which contains the key until the prompt is delivered.
  package var sessionTitle: String { title == key.text ? title : "\(title) [\(key.text)]" }

  /// The title of the session after the delivery.
  package var title: String { content.title ?? content.text.safeLine(limit: 40) }

  package var session: String? { target.sessionID ?? sessionID }

  /// The defaults for a new session; empty for an existing one.
  package var defaults: SessionDefaults { session == nil ? content.defaults : SessionDefaults() }

  /// The session and the conversation, within which prompts are delivered in order.
  package var threads: Set<Place> {
    let places = [target.sessionID.map(Place.session), conversation.map(Place.conversation)]
    return Set(places.compactMap(\.self))
  }

  /// The threads, and the workspace if the prompt needs a new session.
  package var places: Set<Place> {
    guard target.sessionID == nil, let id = target.workspaceID else { return threads }
    return threads.union([.workspace(id)])
  }

  /// Whether another prompt must be delivered first.
  package func comesAfter(_ other: QueuedPrompt, at now: Timestamp) -> Bool {
    other.isOpen(at: now) && target.serverID == other.target.serverID
      && (other.createdAt, other.key) < (createdAt, key)
      && !threads.isDisjoint(with: other.threads)
  }

  /// Whether the prompt may use the session of another one: no attempt has been made for it.
  package var mayJoin: Bool {
    guard case .waiting = state else { return false }
    return conversation != nil && session == nil && !mayHaveSession
  }

  package var isOpen: Bool {
    switch state {
    case .waiting, .departed, .launched: true
    case .delivered, .failed, .expired, .unknown: false
    }
  }

  /// Whether no automatic step is left.
  package var isDone: Bool { !isOpen && !(endsSession && state.isDelivered) }

  /// The state of a prompt that waits in the outbox; `queued` means queued behind a running turn.
  package static let waitingWord = "outbox"

  /// The state: `outbox`, `checking`, `delivered`, `failed`, `expired` or `unknown`.
  package var stateWord: String { state.word }

  /// Whether another prompt has the same content and destination; a prompt that was delivered to a
  /// new session may be sent again to that session.
  package func asksTheSame(as other: QueuedPrompt) -> Bool {
    let isDelivered = state.isDelivered || other.state.isDelivered
    return contentDigest == other.contentDigest && target.serverID == other.target.serverID
      && target.workspaceID == other.target.workspaceID
      && conversation == other.conversation
      && (isDelivered || conversation != nil || target.sessionID == other.target.sessionID)
  }

  /// What is kept after the delivery: the prompt without its content.
  package var receipt: QueuedPrompt {
    var receipt = self
    receipt.content = Prompt("")
    return receipt
  }
}

extension QueuedPrompt.State {
  var word: String {
    switch self {
    case .waiting: QueuedPrompt.waitingWord
    case .departed, .launched: "checking"
    case .delivered: "delivered"
    case .failed: "failed"
    case .expired: "expired"
    case .unknown: "unknown"
    }
  }

  package var isDelivered: Bool {
    if case .delivered = self { true } else { false }
  }
}
