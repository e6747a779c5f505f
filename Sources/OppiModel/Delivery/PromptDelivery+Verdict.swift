// SPDX-License-Identifier: MIT

extension PromptDelivery {
  package enum Verdict: Sendable, Hashable {
    /// The server has confirmed the prompt.
    case delivered(Progress)
    /// The prompt did not run and will not.
    case refused(Refusal)
    case notSent
    /// It was sent and cannot run twice, but whether it runs is unknown.
    case unknown(Doubt)
  }

  package enum Progress: String, Sendable {
    case accepted
    case started
    /// It is queued behind a running turn.
    case queued
  }

  package enum Refusal: Sendable, Hashable {
    /// The server has reached its limit of loaded sessions; its text and code.
    case full(String, code: String?)
    /// The session's agent could not be started; the server's reason.
    case startFailed(String)
    /// The server rejected a message; its reason.
    case rejected(String, code: String?)
    /// The agent refused the prompt; its reason, such as no login or an unknown model.
    case agentRefused(String)
    /// A turn of another client started first; servers drop a prompt that arrives then.
    case busy
    /// The agent did not start the prompt; older servers do not report such a refusal.
    case silent
  }

  package enum Doubt: Sendable, Hashable {
    /// The session's agent sent nothing in time; the server runs the prompt when it has started.
    case starting
    /// No answer arrived in time over an open stream.
    case silence
    /// The connection was lost, and the server could not be queried in time.
    case lost
    /// The agent that may have received the prompt is gone, together with its memory.
    case agentGone
    /// The server has no session for it any more, or never had one.
    case noRecord
    /// The server's answers were invalid, or it no longer accepts this client.
    case shutOut
  }

  /// What the server's REST interface reports about the session after a lost connection.
  package struct Sighting: Sendable, Equatable {
    /// The server's uptime, rounded down to seconds; `nil` if not reported.
    package var uptime: Duration?
    /// The session's status; stale if an older server has no agent loaded.
    package var status: Session.Status
    /// The user messages in the trace.
    package var userTexts: [String]
    /// The durable events after the given sequence number; `nil` if the agent is not loaded, the
    /// server has not kept them, or none were requested.
    package var events: [ServerMessage]?
    /// Whether the server reports a prompt that its agent refuses.
    package var reportsRefusals: Bool

    package init(
      uptime: Duration?,
      status: Session.Status,
      userTexts: [String] = [],
      events: [ServerMessage]? = nil,
      reportsRefusals: Bool = true
    ) {
      self.uptime = uptime
      self.status = status
      self.userTexts = userTexts
      self.events = events
      self.reportsRefusals = reportsRefusals
    }
  }

  package struct Limits: Sendable, Hashable {
    /// Until confirmation; `nil` if the caller waits for the turn, which includes a slow start.
    package var total: Duration? = .seconds(10)
    /// For the confirmation if there is no ``total``: agents that start one after another may take
    /// minutes, but the wait for a silent server must end.
    package var start = Duration.seconds(300)
    /// From the loss of a connection with an unconfirmed prompt; never ends before ``total``.
    package var secondLook = Duration.seconds(5)
    /// For the agent's first message after the server has accepted the prompt.
    package var firstSign = Duration.seconds(1)
    /// Between queries about a prompt that an older server has accepted without further events.
    package var silence = Duration.seconds(3)
    /// For deleting a session after a refusal.
    package var deletion = Duration.seconds(3)

    package init() {}
  }
}

extension PromptDelivery.Refusal {
  /// The reason as the server gave it, if any.
  package var text: String? {
    switch self {
    case .full(let text, _), .startFailed(let text), .rejected(let text, _),
      .agentRefused(let text):
      text
    case .busy, .silent: nil
    }
  }

  var isFull: Bool {
    if case .full = self { true } else { false }
  }

  /// Classifies a server's rejection of a message.
  package init(refusing text: String, code: String?) {
    let isFull =
      code?.hasPrefix("SESSION_LIMIT") == true || ServerRefusal(words: text) == .sessionLimit
    self = isFull ? .full(text, code: code) : .rejected(text, code: code)
  }

  /// Classifies a failure to start an agent or to subscribe to it.
  init(startFailure text: String, code: String?) {
    self.init(refusing: text, code: code)
    guard case .rejected = self else { return }
    switch ServerRefusal(words: text) {
    case .sessionNotFound, .subscribeRateLimit: break
    default: self = .startFailed(text)
    }
  }
}
