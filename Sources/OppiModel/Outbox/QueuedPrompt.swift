// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

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

    /// The session and the conversation of a prompt, within which prompts are delivered in order.
    package func threads(of prompt: Prompt) -> Set<Thread> {
      let places = [
        sessionID.map(Thread.session), prompt.conversation.map(Thread.conversation),
      ]
      return Set(places.compactMap(\.self))
    }

    package init(on serverID: Fingerprint, named serverName: String) {
      self.serverID = serverID
      self.serverName = serverName
    }
  }

  /// A destination that prompts can share.
  package enum Thread: Sendable, Hashable {
    case workspace(String)
    case session(String)
    case conversation(String)
  }

  package enum State: Sendable, Hashable {
    /// Not sent; the next attempt is at `retryAt`, or at once if `nil`.
    case waiting(retryAt: Timestamp?)
    /// Sent; the server must be queried for the result.
    case departed(PromptDelivery.SendRecord, at: MachineTime)
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

    /// The word for it: `outbox`, `checking`, `delivered`, `failed`, `expired` or `unknown`.
    package var word: String {
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

  package internal(set) var key: OutboxKey
  /// Whether the user chose the key, which then stays reserved after the delivery.
  package var isKeyKept = false
  /// Whether a failed delivery is retried later, also by other processes.
  package var isQueued = true
  package var target: Target
  package var content: Prompt
  package var createdAt: Timestamp
  package var expiresAt: Timestamp?
  /// No attempt is made before this time, except for the prompt alone at the user's request.
  package var notBefore: Timestamp?
  /// The number of messages that its session must still have; `nil` for any number.
  package var expectedMessageCount: Int?
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
    target: Target,
    content: Prompt,
    createdAt: Timestamp
  ) {
    self.key = key
    self.target = target
    self.content = content
    self.createdAt = createdAt
    contentDigest = content.digest
    changedAt = createdAt
  }
}

extension QueuedPrompt {
  /// The title of the created session, which contains the key until the prompt is delivered.
  package var sessionTitle: String { title == key.text ? title : "\(title) [\(key.text)]" }

  /// The prompt as it is sent, with both titles of a new session.
  package var titledContent: Prompt {
    var content = content
    content.title = sessionTitle
    content.lastingTitle = title == sessionTitle ? nil : title
    return content
  }

  /// The title of the session after the delivery.
  package var title: String { content.title ?? content.text.safeLine(limit: 40) }

  package var session: String? { target.sessionID ?? sessionID }

  /// The defaults for a new session; empty for an existing one.
  package var defaults: SessionDefaults { session == nil ? content.defaults : SessionDefaults() }

  package var threads: Set<Thread> { target.threads(of: content) }

  /// The threads, and the workspace if the prompt needs a new session.
  package var places: Set<Thread> {
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
    return content.conversation != nil && session == nil && !mayHaveSession
  }

  package var isOpen: Bool {
    switch state {
    case .waiting, .departed, .launched: true
    case .delivered, .failed, .expired, .unknown: false
    }
  }

  /// Whether it was sent and its result is not known: it may have run.
  package var isUnconfirmed: Bool {
    switch state {
    case .departed, .launched: true
    case .waiting, .delivered, .failed, .expired, .unknown: false
    }
  }

  /// Whether no automatic step is left.
  package var isDone: Bool { !isOpen && !(endsSession && state.isDelivered) }

  /// The state of a prompt that waits in the outbox; `queued` means queued behind a running turn.
  package static let waitingWord = "outbox"

  /// Whether another prompt has the same content and destination; a prompt that was delivered to a
  /// new session may be sent again to that session.
  package func asksTheSame(as other: QueuedPrompt) -> Bool {
    let isDelivered = state.isDelivered || other.state.isDelivered
    return contentDigest == other.contentDigest && target.serverID == other.target.serverID
      && isInWorkspace(of: other)
      && content.conversation == other.content.conversation
      && (isDelivered || content.conversation != nil || target.sessionID == other.target.sessionID)
  }

  /// Whether both have the same workspace, or the same session, whose workspace may be unknown.
  private func isInWorkspace(of other: QueuedPrompt) -> Bool {
    target.workspaceID == other.target.workspaceID || session.map { $0 == other.session } ?? false
  }

  /// What is kept after the delivery: the prompt without its content.
  package var receipt: QueuedPrompt {
    var receipt = self
    receipt.content = content.receipt
    return receipt
  }
}

package struct FailureReason: Sendable, Hashable {
  /// An error code of the program, such as `server-unreachable`.
  package var code: String
  /// One line, safe to show.
  package var message: String

  package init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

extension QueuedPrompt {
  /// Whether the prompt continues a turn that reached a usage limit.
  package var isContinuation: Bool { expectedMessageCount != nil }

  /// Whether the prompt waits for a time before which it must not be sent.
  package func isHeldBack(at now: Timestamp) -> Bool {
    guard case .waiting = state, let notBefore else { return false }
    // No limit is that far away: the clock was set back.
    return notBefore > now && notBefore < now.moved(by: UsageLimit.longestWait * 2)
  }

  /// Whether a delivery may be attempted now; manual attempts do not check this.
  package func isDue(at now: Timestamp) -> Bool {
    switch state {
    case .waiting where isHeldBack(at: now): expiresAt.map { $0 <= now } ?? false
    // No pause is that long: the clock was set back.
    case .waiting(let retryAt?) where retryAt > now.moved(by: Self.longestPause * 2): true
    case .departed where changedAt > now, .launched where changedAt > now: true
    case .waiting(let retryAt?): min(retryAt, expiresAt ?? retryAt) <= now
    case .departed, .launched: changedAt.moved(by: pause) <= now
    default: !isDone
    }
  }

  /// Between the last attempt and the next: doubles each time, up to one hour.
  private var pause: Duration {
    min(Self.shortestPause * (1 << min(max(attempts - 1, 0), 7)), Self.longestPause)
  }

  /// Expires a waiting prompt after its deadline; a prompt that was sent does not expire.
  package mutating func expire(at now: Timestamp) {
    guard case .waiting = state, let expiresAt, expiresAt <= now else { return }
    become(.expired, at: now)
  }

  /// Whether the delivery is not complete and not expired at this time.
  package func isOpen(at now: Timestamp) -> Bool {
    var prompt = self
    prompt.expire(at: now)
    return prompt.isOpen
  }

  /// Records an attempt: until its result is known, a session may have been created for it.
  package mutating func begin(at now: Timestamp) {
    attempts = min(attempts + 1, 1_000_000)
    if case .waiting = state, session == nil { mayHaveSession = true }
    changedAt = now
  }

  package mutating func become(
    _ state: State,
    because reason: FailureReason? = nil,
    at now: Timestamp
  ) {
    self.state = state
    self.reason = reason
    changedAt = now
  }

  /// Schedules the next attempt.
  ///
  /// `reason` says why the prompt is not delivered yet. `spread`, from 0 to 1, adds up to a quarter
  /// of the pause, so that prompts that failed together are not retried together.
  package mutating func postpone(because reason: FailureReason?, at now: Timestamp, spread: Double)
  {
    let retryAt = now.moved(by: pause + pause * (spread / 4))
    become(.waiting(retryAt: retryAt), because: reason, at: now)
  }

  private static let shortestPause = Duration.seconds(30)
  private static let longestPause = Duration.seconds(3600)

  /// Resets the prompt to be sent as a new one, at the user's request, and queues it.
  package mutating func renew(clientTurnID: String, at now: Timestamp) {
    content.clientTurnID = clientTurnID
    sessionID = nil
    mayHaveSession = false
    isQueued = true
    attempts = 0
    (expiresAt, notBefore, expectedMessageCount) = (nil, nil, nil)
    become(.waiting(retryAt: nil), at: now)
  }

  /// Merges a repeated request into the stored prompt: queued if either is, with the later expiry.
  package func repeated(as prompt: QueuedPrompt) -> QueuedPrompt {
    var stored = self
    if let expiresAt { stored.expiresAt = prompt.expiresAt.map { max($0, expiresAt) } }
    stored.isQueued = isQueued || prompt.isQueued
    return stored
  }

  /// Waits until another prompt for the same session is delivered.
  package mutating func wait(behind earlier: QueuedPrompt, at now: Timestamp) {
    let reason = FailureReason(
      code: Self.stillQueuedCode,
      message: "waiting for prompt \(earlier.key) of the same session"
    )
    become(.waiting(retryAt: nil), because: reason, at: now)
  }

  /// The error code for a prompt that remains in the outbox.
  package static let stillQueuedCode = "still-queued"
}
