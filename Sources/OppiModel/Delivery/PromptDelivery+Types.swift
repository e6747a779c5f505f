// SPDX-License-Identifier: MIT

package import OppiWire

extension PromptDelivery {
  /// Time since the delivery began.
  package typealias Moment = Duration

  package enum Event: Sendable {
    case opened(Dialect.Stream)
    case received(ServerMessage)
    /// The stream broke or could not be opened; a retry may help.
    case lost
    /// The server ended the stream as planned, or wants another one; it admits one at once.
    case expired
    /// The server refuses permanently or violates the protocol.
    case shutOut
    /// The last message was not sent and will not be.
    case notSent
    /// The answer to ``Action/look(since:)``; `nil` if there was none.
    case looked(ServerCheck?)
    case deleted
    /// The time ``wakeAt`` was reached.
    case woke
  }

  package enum Action: Sendable, Equatable {
    /// Open a stream of the session; answered by `opened`, `lost` or `shutOut`.
    case open
    /// Send in one write.
    case send([Request])
    /// Query the session's state over REST and, if given, its events after a sequence number.
    case look(since: Int?)
    case close
    /// Delete the session, which was created for this prompt.
    case delete
    case settle(Verdict)
  }

  /// A message with the id that its answer repeats.
  package struct Request: Sendable, Hashable {
    package var message: ClientMessage
    /// Unique among all requests to a server.
    package var id: String

    package init(_ message: ClientMessage, id: String) {
      self.message = message
      self.id = id
    }
  }

  package struct Order: Sendable, Hashable {
    /// The id of an existing session.
    package var sessionID: String
    /// Whether the session was created for this prompt: all its messages come from the prompt.
    package var isNewSession: Bool
    package var prompt: Prompt
    package var whenBusy = ClientMessage.WhenBusy.queue
    /// Whether the caller waits for the turn, not only for the delivery.
    package var waitsForTurn = false
    package var limits = Limits()
    /// Whether the prompt may be sent again, under its id, to an agent that remembers it.
    package var mayRepeat = true

    /// The thinking level to set; `nil` keeps the session's level.
    var thinking: ThinkingLevel? { prompt.level(forNewSession: isNewSession) }
  }

  /// The destination, as reported by the server.
  package struct ReportedLocation: Sendable, Hashable {
    /// `nil` until the server has named it.
    package var workspaceID: String?
    /// A label, safe to show.
    package var workspaceName: String?
    /// The model that the agent uses.
    package var model: String?
    package var thinking: String?
    /// Whether the agent is Pi; `nil` if the server does not name the kind of its agents.
    package var isPi: Bool?

    package init() {}
  }
}

extension PromptDelivery.ServerCheck {
  package init(_ status: Session.Status, uptime: Duration?) {
    self.init(uptime: uptime, status: status)
  }
}

extension PromptDelivery.Order {
  package init(to sessionID: String, isNewSession: Bool, of prompt: Prompt) {
    self.init(sessionID: sessionID, isNewSession: isNewSession, prompt: prompt)
  }
}

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
  package struct ServerCheck: Sendable, Equatable {
    /// The server's uptime, rounded down to seconds; `nil` if not reported.
    package var uptime: Duration?
    /// The session's status; stale if an older server has no agent loaded.
    package var status: Session.Status
    /// The user messages in the trace.
    package var userTexts: [String] = []
    /// The durable events after the given sequence number; `nil` if the agent is not loaded, the
    /// server has not kept them, or none were requested.
    package var events: [ServerMessage]?
    /// The agent whose events these are; `nil` on servers that do not name agents.
    package var epoch: String?
    /// Whether the server reports a prompt that its agent refuses.
    package var reportsRefusals = true
  }

  package struct Limits: Sendable, Hashable {
    /// To connect and get the first message.
    package var connect = Duration.seconds(5)
    /// For an answer of a server that is reachable, unless there is a ``total``.
    package var answer = Duration.seconds(10)
    /// Until confirmation; `nil` if the caller waits for the turn, which includes a slow start.
    package var total: Duration? = .seconds(10)
    /// For the confirmation if there is no ``total``: agents that start one after another may take
    /// minutes, but the wait for a silent server must end.
    package var start = Duration.seconds(300)
    /// From the news that a server still launches the session, for a question of the server before
    /// the start, which waits for 15 s; may end after ``total``.
    package var launch = Duration.seconds(20)
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

extension PromptDelivery.Refusal {
  /// The usage limit of the model's provider because of which the prompt was refused, if any.
  package var limit: UsageLimit? {
    switch self {
    case .rejected(let text, _), .agentRefused(let text), .startFailed(let text):
      UsageLimit(statedIn: text)
    case .full, .busy, .silent: nil
    }
  }
}
