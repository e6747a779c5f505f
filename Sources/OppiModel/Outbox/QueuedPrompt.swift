// SPDX-License-Identifier: MIT

/// A prompt of the outbox, from the moment at which it is kept to its end: what its file says.
package struct QueuedPrompt: Sendable, Hashable {
  /// Where it is to go.
  package struct Target: Sendable, Hashable {
    package var serverID: Fingerprint
    /// What the server was called when the prompt was kept.
    package var serverName: String
    /// `nil` for a session whose workspace is not known.
    package var workspaceID: String?
    package var workspaceName: String?
    /// The session that it is for; `nil` for a new one.
    package var sessionID: String?

    /// The composite id of its workspace.
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

  /// Where a prompt is for, as far as others are for the same.
  package enum Place: Sendable, Hashable {
    case workspace(String)
    case session(String)
    /// The conversation of a shortcut.
    case conversation(String)
  }

  /// How it stands.
  package enum State: Sendable, Hashable {
    /// Nothing has left. It is tried again, from a moment on where one is given.
    case waiting(retryAt: Timestamp?)
    /// It has left, and the server is still to be asked what became of it.
    case departed(PromptDelivery.Departure, at: MachineTime)
    /// The server has it.
    case delivered(PromptDelivery.Progress)
    /// It did not run and will not.
    case failed
    /// It was not delivered in time, and will not be.
    case expired
    /// Whether it ran cannot be learned any more; it is not sent again.
    case unknown
  }

  package let key: OutboxKey
  /// Whether the key was chosen, so that it stands for this prompt after its delivery, too.
  package var isKeyKept: Bool
  /// Whether it is delivered later where it cannot be now: else nobody but its own process sends it.
  package var isQueued = true
  package var target: Target
  /// The shortcut whose conversation it goes on with: in the session of the run before, or in a new
  /// one where that is gone; `nil` for what its target says alone.
  package var conversation: String?
  package var content: Prompt
  package var createdAt: Timestamp
  /// When it is too late for it.
  package var expiresAt: Timestamp?
  /// By which the server recognises it.
  package var clientTurnID: String
  package var state = State.waiting(retryAt: nil)
  /// How often it was tried.
  package var attempts = 0
  /// Why the last try did not deliver it.
  package var reason: FailureReason?
  /// The session that was made for it, or that has it.
  package var sessionID: String?
  /// Whether a session may have been made for it of which no word has come.
  package var mayHaveSession = false
  /// Whether its session is to be ended when the turn is over; false again once it was.
  package var endsSession = false
  /// What tells its content from another, where that is not kept.
  package var contentDigest: String
  /// When the state became what it is.
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
  /// The title of the session that is made for it, which says by its key whose it is until the prompt
  /// is delivered.
  package var sessionTitle: String { title == key.text ? title : "\(title) [\(key.text)]" }

  /// The title of its session from then on.
  package var title: String { content.title ?? content.text.safeLine(limit: 40) }

  /// The session that it goes to, made for it or not.
  package var session: String? { target.sessionID ?? sessionID }

  /// What its session gets where nothing was asked for; nothing for one that is there already.
  package var defaults: SessionDefaults { session == nil ? content.defaults : SessionDefaults() }

  /// What must not get it before what was kept earlier.
  package var threads: Set<Place> {
    let places = [target.sessionID.map(Place.session), conversation.map(Place.conversation)]
    return Set(places.compactMap(\.self))
  }

  /// Its threads, and the workspace where it is for a new session.
  package var places: Set<Place> {
    guard target.sessionID == nil, let id = target.workspaceID else { return threads }
    return threads.union([.workspace(id)])
  }

  /// Whether it is to be delivered after another one.
  package func comesAfter(_ other: QueuedPrompt, at now: Timestamp) -> Bool {
    other.isOpen(at: now) && target.serverID == other.target.serverID
      && (other.createdAt, other.key) < (createdAt, key)
      && !threads.isDisjoint(with: other.threads)
  }

  /// Whether it may go on in the session of another prompt: nothing has been begun for it.
  package var mayJoin: Bool {
    guard case .waiting = state else { return false }
    return conversation != nil && session == nil && !mayHaveSession
  }

  /// Whether its delivery is still to be done or learned.
  package var isOpen: Bool {
    switch state {
    case .waiting, .departed: true
    case .delivered, .failed, .expired, .unknown: false
    }
  }

  /// Whether there is nothing left to be done about it by itself.
  package var isDone: Bool { !isOpen && !(endsSession && state.isDelivered) }

  /// The state of a prompt that waits in the outbox; `queued` is one behind a running turn.
  package static let waitingWord = "outbox"

  /// The word for how it stands: `outbox`, `checking`, `delivered`, `failed`, `expired` or
  /// `unknown`.
  package var stateWord: String {
    switch state {
    case .waiting: Self.waitingWord
    case .departed: "checking"
    case .delivered: "delivered"
    case .failed: "failed"
    case .expired: "expired"
    case .unknown: "unknown"
    }
  }

  /// Whether another one says the same to the same place; what was delivered into a session of its
  /// own may be asked again into that session.
  package func asksTheSame(as other: QueuedPrompt) -> Bool {
    let isDelivered = state.isDelivered || other.state.isDelivered
    return contentDigest == other.contentDigest && target.serverID == other.target.serverID
      && target.workspaceID == other.target.workspaceID
      && conversation == other.conversation
      && (isDelivered || conversation != nil || target.sessionID == other.target.sessionID)
  }

  /// What is kept of a prompt that was delivered: that its key was used.
  package var receipt: QueuedPrompt {
    var receipt = self
    receipt.content = Prompt("")
    return receipt
  }
}

extension QueuedPrompt.State {
  /// Whether the server has the prompt.
  package var isDelivered: Bool {
    if case .delivered = self { true } else { false }
  }
}
