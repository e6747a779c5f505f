// SPDX-License-Identifier: MIT

package import OppiText

package struct ServerMessage: Sendable, Equatable {
  /// The session; `nil` for messages about the whole server and on a session's own stream.
  package var sessionID: String?
  /// The session's sequence number, on durable kinds only; restarts with the agent.
  package var sequence: Int?
  /// The agent that counts ``sequence``, which changes with each start; only newer servers name it,
  /// and only in `connected`.
  package var epoch: String?
  package var kind: Kind

  package init(
    _ kind: Kind,
    sessionID: String? = nil,
    sequence: Int? = nil,
    epoch: String? = nil
  ) {
    self.kind = kind
    self.sessionID = sessionID
    self.sequence = sequence
    self.epoch = epoch
  }

  package indirect enum Kind: Sendable, Equatable {
    case streamConnected
    /// The agent is loaded; `currentSequence` is the last sequence number so far.
    case connected(Session, currentSequence: Int)
    /// The session may differ from the envelope's: a child reports through its parent.
    case state(Session)
    /// The session's current status and name. Unlike ``state(_:)``, it does not mean that the
    /// stream is set up.
    case summary(Session)
    case agentStart
    /// The end of a run, which is not always the end of the turn: a retry may follow.
    case agentEnd
    /// Nothing follows the last run: no retry, no compaction and no queued message.
    case agentSettled
    /// The whole text of a message, which takes precedence over its deltas.
    ///
    /// The role is `nil` if it is unknown.
    case messageEnd(role: Role?, text: String)
    case textDelta(String)
    case thinkingDelta(String)
    /// Repeated with growing arguments for one call; each replaces the previous one. Newer servers
    /// send it once and then ``toolUpdate(_:)``.
    case toolStart(ToolCall)
    /// The arguments of a call, as far as the model has written them.
    case toolUpdate(ToolCall)
    case toolOutput(ToolOutput)
    case toolEnd(callID: String?, tool: String, isError: Bool, details: JSONValue)
    case turnAcknowledged(TurnAcknowledgement)
    case commandResult(CommandResult)
    /// All queued messages, steering ones first.
    case queueState([QueuedMessage])
    /// A queued message is passed to the agent; its text comes next, as a user message.
    case queueItemStarted(QueuedMessage)
    case compactionStart
    case compactionEnd(willRetry: Bool)
    case retryStart(attempt: Int, of: Int, delay: Duration, error: String)
    case retryEnd(success: Bool, error: String?)
    case permissionRequest(PermissionRequest)
    case permissionExpired(id: String)
    case permissionCancelled(id: String)
    case question(UserQuestion)
    /// A question was answered by any client, or will not be answered any more.
    case questionSettled(id: String)
    case notification(String?)
    /// The status line that an extension keeps under a key; `nil` removes it.
    case statusChanged(key: String, text: String?)
    case stopRequested
    case stopConfirmed(reason: String?)
    case stopFailed(reason: String?)
    case sessionEnded(reason: String?)
    case sessionDeleted
    /// An error of a run or of a request, often without naming either.
    case error(message: String, code: String?, isFatal: Bool)
    case gitStatus
    /// An unknown kind of a newer or older server; ignored.
    case unknown(type: String)
  }

  package enum Role: String, Sendable {
    case user
    case assistant
  }
}

/// A tool call with its arguments as far as they are known.
package struct ToolCall: Sendable, Equatable {
  package var id: String?
  package var tool: String
  /// Any JSON, as the model wrote it.
  package var arguments: JSONValue

  package init(id: String? = nil, tool: String, arguments: JSONValue) {
    (self.id, self.tool, self.arguments) = (id, tool, arguments)
  }
}

/// A piece of a tool's output, or a preview that replaces the previous one.
package struct ToolOutput: Sendable, Equatable {
  package var callID: String?
  package var text: String
  package var replaces: Bool
  package var isTruncated: Bool
  /// The size of the whole output if the text is only its end.
  package var totalBytes: Int?

  package init(
    callID: String? = nil,
    text: String,
    replaces: Bool,
    isTruncated: Bool,
    totalBytes: Int? = nil
  ) {
    (self.callID, self.text, self.replaces) = (callID, text, replaces)
    (self.isTruncated, self.totalBytes) = (isTruncated, totalBytes)
  }
}

/// How far the server has processed a turn.
package struct TurnAcknowledgement: Sendable, Equatable {
  package var clientTurnID: String
  /// `nil` if it is unknown.
  package var stage: Stage?
  /// Whether the server has seen the id before; a repeated turn does not run again.
  package var isDuplicate: Bool

  /// From `dispatched` on, the agent has the turn.
  package enum Stage: String, Sendable {
    case accepted
    case dispatched
    case started
  }
}

/// The answer to a message with a request id.
package struct CommandResult: Sendable, Equatable {
  package var requestID: String?
  /// The server's reason if the command failed, `nil` if it succeeded.
  package var failure: String?
  package var data: JSONValue
}

extension ServerMessage {
  /// In bytes of UTF-8: many screens of text, but still fast to process.
  private static let pieceLimit = 64 << 10

  /// The message split into short ones, if its text continues from message to message.
  package var pieces: [ServerMessage] {
    switch kind {
    case .textDelta(let text): split(text, Kind.textDelta)
    case .thinkingDelta(let text): split(text, Kind.thinkingDelta)
    case .toolOutput(let output) where !output.replaces && output.totalBytes == nil:
      split(output.text) { text in
        var piece = output
        piece.text = text
        return .toolOutput(piece)
      }
    default: [self]
    }
  }

  private func split(_ text: String, _ kind: (String) -> Kind) -> [ServerMessage] {
    guard text.utf8.count > Self.pieceLimit else { return [self] }
    var pieces: [ServerMessage] = []
    var rest = text[...]
    while !rest.isEmpty {
      let head = rest.head(bytes: Self.pieceLimit)
      pieces.append(ServerMessage(kind(head), sessionID: sessionID, sequence: sequence))
      rest = rest[rest.utf8.index(rest.startIndex, offsetBy: head.utf8.count)...]
    }
    return pieces
  }
}

/// A user message in the server's queue behind a running turn.
package struct QueuedMessage: Sendable, Equatable, Identifiable {
  package enum Kind: Sendable, Equatable {
    /// It is sent to the running turn.
    case steer
    /// It starts a turn of its own.
    case followUp
  }

  /// The id that its sender gave the turn.
  package let id: String
  package var kind: Kind
  package var text: String

  package init(id: String, kind: Kind, text: String) {
    (self.id, self.kind, self.text) = (id, kind, text)
  }
}

extension QueuedMessage {
  /// Reads the server's object; `nil` if it has no id.
  init?(json: JSONValue, kind: Kind) {
    guard let id = json["id"].text(.name) else { return nil }
    self.init(id: id, kind: kind, text: json["message"].text(.content) ?? "")
  }

  static func all(in queue: JSONValue) -> [QueuedMessage] {
    let kinds: [(name: String, kind: Kind)] = [("steering", .steer), ("followUp", .followUp)]
    return kinds.flatMap { name, kind in
      (queue[name].array ?? []).compactMap { QueuedMessage(json: $0, kind: kind) }
    }
  }
}
