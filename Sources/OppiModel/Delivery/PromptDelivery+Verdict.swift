// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// What became of a prompt, as far as it can be known.
  package enum Verdict: Sendable, Hashable {
    /// The server has it, by its own word.
    case delivered(Progress)
    /// It did not run and will not.
    case refused(Refusal)
    /// It never left.
    case notSent
    /// It left, and whether it runs cannot be known; it was not sent in a way that could run twice.
    case unknown(Doubt)
  }

  /// How far a delivered prompt is known to have come.
  package enum Progress: String, Sendable {
    /// The server has taken it.
    case accepted
    /// The agent has begun.
    case started
    /// It waits behind a running turn.
    case queued
  }

  /// Why a prompt will not run.
  package enum Refusal: Sendable, Hashable {
    /// The server has no room for another loaded session; its text and code.
    case full(String, code: String?)
    /// The session's agent cannot be started, for the server's reason.
    case startFailed(String)
    /// The server did not take a message, for its own reason.
    case rejected(String, code: String?)
    /// The agent took no prompt, for its own reason: no login, an unknown model.
    case agentRefused(String)
    /// Somebody else's turn had begun in between; servers drop a prompt that comes then.
    case busy
    /// Older servers pass such a refusal over in silence.
    case silent
  }

  /// Why nothing more can be known.
  package enum Doubt: Sendable, Hashable {
    /// No sign of the session's agent came in time; the server runs the prompt when it has started.
    case starting
    /// No answer came in time over a stream that stood.
    case silence
    /// The connection was lost, and the server could not be asked again in time.
    case lost
    /// The agent that may have had the prompt is gone, and with it what it remembered.
    case agentGone
    /// The server's answers could not be understood, or it no longer lets this program in.
    case shutOut
  }

  /// What the server's REST interface says about the session after a connection was lost.
  package struct Sighting: Sendable, Equatable {
    /// For how long the server has run, rounded down to seconds; `nil` where it does not say.
    package var uptime: Duration?
    /// What the session does now; stale where no agent is loaded on an older server.
    package var status: Session.Status
    /// The texts of the user's messages in the trace.
    package var userTexts: [String]
    /// The durable events after the noted counter; `nil` where the agent is not loaded, its memory
    /// does not reach back, or nobody asked.
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

  /// How long the steps of a delivery may take.
  package struct Limits: Sendable, Hashable {
    /// For the whole delivery up to the server's word; `nil` where a turn is waited for and a slow
    /// start is part of the wait.
    package var total: Duration? = .seconds(10)
    /// For the server's word where there is no ``total``: agents that start one after another may take
    /// minutes, but a server that lives and says nothing is not waited for for ever.
    package var start = Duration.seconds(300)
    /// For a second look after the connection was lost with the prompt on its way; begins with the
    /// loss, and never ends before ``total``.
    package var secondLook = Duration.seconds(5)
    /// For the agent's first sign of life after the server has taken the prompt.
    package var firstSign = Duration.seconds(1)
    /// Between questions about a prompt that an older server has taken and nothing came of.
    package var silence = Duration.seconds(3)
    /// For removing a session that was made in vain.
    package var deletion = Duration.seconds(3)

    package init() {}
  }
}

extension PromptDelivery.Refusal {
  /// The reason in the server's words, where it gave one.
  package var text: String? {
    switch self {
    case .full(let text, _), .startFailed(let text), .rejected(let text, _),
      .agentRefused(let text):
      text
    case .busy, .silent: nil
    }
  }

  /// Whether the server has no room.
  var isFull: Bool {
    if case .full = self { true } else { false }
  }

  /// Sorts a server's refusal of a message.
  package init(refusing text: String, code: String?) {
    let isFull =
      code?.hasPrefix("SESSION_LIMIT") == true || ServerRefusal(words: text) == .sessionLimit
    self = isFull ? .full(text, code: code) : .rejected(text, code: code)
  }

  /// Sorts a failure to start an agent or to subscribe to it.
  init(startFailure text: String, code: String?) {
    self.init(refusing: text, code: code)
    guard case .rejected = self else { return }
    switch ServerRefusal(words: text) {
    case .sessionNotFound, .subscribeRateLimit: break
    default: self = .startFailed(text)
    }
  }
}
