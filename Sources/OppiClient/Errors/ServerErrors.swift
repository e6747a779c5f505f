// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
import OppiText
package import OppiTransport
package import OppiWire

extension OppiError {
  /// What callers act on; people read the message.
  package enum Reason: Sendable, Equatable {
    case transport(TransportError)
    /// The server answered with an error status and, usually, a message.
    case refused(Int, String?)
    case malformedAnswer
    /// The server has no agent for the session, or refused the subscription.
    case notSubscribed(PromptDelivery.Refusal)
    /// The server closed the stream before the end.
    case hungUp
    /// The server ended the stream as planned, or wants another one; it admits one at once.
    case streamExpired
    /// No answer came over an open stream.
    case noAnswer
    /// This program cancelled a program that it waited for.
    case cancelled
    /// No access token was received, so that the request which needs it was not sent.
    indirect case noToken(Reason)
    /// The server issues no access token to this device.
    case accessRefused(AccessRefusal)
    /// A signature cannot be checked or made, because OpenSSL is not installed.
    case noCrypto
    /// Another server answers at the address of a paired one.
    case otherServer
    /// A file of this machine cannot be read or written.
    case file
    case unknownWorkspace
    /// The server does not offer the model, or not with the requested thinking level.
    case unknownModel
    case unknownSession
    /// A budget of the workspace is used up; nothing was sent.
    case overBudget
    /// The session has other messages than expected; nothing was sent.
    case sessionContinued
    /// The images exceed a limit of the server, or it does not take one of them.
    case imageRefused
  }

  package init(_ code: Code, _ message: String, hints: [String] = [], because reason: Reason) {
    self.init(code, message, hints: hints)
    self.reason = reason
  }

  /// The error with another reason; `nil` for one that no caller acts on.
  package func because(_ reason: Reason?) -> OppiError {
    var error = self
    error.reason = reason
    return error
  }
}

// MARK: - What callers act on

extension OppiError {
  /// The status of a server that refused a request; `nil` for other errors.
  package var refusedStatus: Int? {
    if case .refused(let status, _)? = reason { status } else { nil }
  }

  /// Whether the server does not know what the path of a request names, or the path.
  package var isNotFound: Bool { refusedStatus == 404 }

  /// Whether the server lacks a route: it speaks another dialect than it is known to.
  package var isMissingRoute: Bool {
    reason == .refused(404, nil) || reason == .refused(404, "Not found")
  }

  /// The server's words if it has no room for another session: it has performed nothing.
  package var sessionLimit: String? {
    guard case .refused(_, let message?)? = reason, ServerRefusal(words: message) == .sessionLimit
    else { return nil }
    return message
  }

  /// Whether the server has refused access to this device until it is paired again.
  package var isFinalRefusal: Bool {
    if case .accessRefused(let refusal)? = reason { refusal.isFinal } else { false }
  }

  /// Whether the stream ended as planned, which is no failure.
  package var isPlanned: Bool { reason == .streamExpired }

  /// Whether the server had no agent for the session, which may change: it is full, or the start
  /// failed.
  package var isRefusedStart: Bool {
    switch reason {
    case .notSubscribed(.full)?, .notSubscribed(.startFailed)?: true
    default: false
    }
  }

  /// The error of a request that was not sent, because a request for its token failed.
  var beforeRequest: OppiError { mayHaveArrived ? because(reason.map(Reason.noToken)) : self }

  /// Whether the server may have received the request without confirming it.
  package var mayHaveArrived: Bool {
    switch reason {
    case .hungUp?, .noAnswer?, .streamExpired?, .malformedAnswer?: true
    case .refused(let status, _)?: status >= 500
    case .transport(let cause)?:
      switch cause {
      case .timedOut(.request), .timedOut(.answer), .closed(.request), .closed(.answer), .ioFailed,
        .malformedAnswer, .webSocketBroken, .cancelled:
        true
      default: false
      }
    default: false
    }
  }

  /// Whether a retry may help: the server or the connection may recover.
  package var isPassing: Bool { reason?.isPassing ?? false }

  /// Whether this program cancelled the operation.
  package var isCancellation: Bool {
    switch reason?.ofRequest {
    case .cancelled?, .transport(.cancelled)?: true
    default: false
    }
  }

  package var isTimeout: Bool {
    switch reason?.ofRequest {
    case .noAnswer?, .transport(.timedOut)?: true
    default: false
    }
  }
}

extension OppiError.Reason {
  /// The reason why a request failed, or the one before it, for its token.
  fileprivate var ofRequest: Self {
    if case .noToken(let reason) = self { reason } else { self }
  }

  fileprivate var isPassing: Bool {
    switch ofRequest {
    case .hungUp, .noAnswer, .streamExpired, .overBudget: true
    case .refused(let status, _): status >= 500 || status == 429
    case .accessRefused(let refusal):
      refusal == .rateLimited || refusal == .tooManyChallenges || refusal == .newTokenRejected
    case .transport(let cause):
      switch cause {
      case .timedOut, .lookupFailed, .connectFailed, .closed, .ioFailed, .proxyFailed: true
      default: false
      }
    default: false
    }
  }
}

// MARK: - Answers

extension OppiError {
  package static func refused(status: Int, message: String?, server: String) -> OppiError {
    if let message, ServerRefusal(words: message) == .sessionLimit {
      return OppiError(.full(message, code: nil), server: server).because(.refused(status, message))
    }
    let (code, words, hint): (Code, String, String?) =
      switch status {
      case 401: (.unauthorized, "rejected this machine's token", pairAgain)
      case 403: (.unauthorized, "denied access (403)", nil)
      case 404: (.protocolBroken, "does not know the requested path (404)", checkVersion)
      case 429: (.tooManyRequests, "received too many requests", "wait two minutes and retry")
      case 503: (.timedOut, "is not ready (503)", "retry")
      case 500...: (.serverError, "failed (\(status))", nil)
      case 400..<500:
        (
          .badInput, "refused the request (\(status))",
          message == "Invalid thinking level" ? levelsHint : nil
        )
      default: (.protocolBroken, "returned status \(status)", checkVersion)
      }
    return OppiError(
      code,
      "\(server) \(words)\(message.map { ": \($0)" } ?? "")",
      hints: hint.map { [$0] } ?? [],
      because: .refused(status, message)
    )
  }

  static let levelsHint = "list the thinking levels with: oppi models --fields id,thinkingLevels"

  /// An answer that does not follow the protocol; `what` names it.
  package static func malformedAnswer(server: String, what: String) -> OppiError {
    OppiError(brokenProtocol: "\(server) sent an invalid response (\(what))")
      .because(.malformedAnswer)
  }

  /// An answer that no Oppi server of a known version sends.
  package init(brokenProtocol message: String) {
    self.init(.protocolBroken, message, hints: [Self.checkVersion])
  }

  static let checkVersion =
    "check that it is an Oppi server of a supported version: oppi servers test"
  package static let pairAgain = "pair again with a new invite: oppi pair -"

  package static func otherServer(server: String) -> OppiError {
    OppiError(
      .identityMismatch,
      "a different server answers at the address of \(server)",
      hints: [
        "check the address with: oppi servers show",
        "if the server was reinstalled, pair again: oppi pair -",
      ],
      because: .otherServer
    )
  }

  package static func file(_ cause: FileError) -> OppiError { cause.explanation.because(.file) }

  /// Returns a value that is read from a file; a failure becomes ``file(_:)``.
  package static func reading<Value>(
    _ value: @autoclosure () throws(FileError) -> Value
  ) throws(OppiError) -> Value {
    do {
      return try value()
    } catch {
      throw .file(error)
    }
  }
}

// MARK: - Connections

extension OppiError {
  package static func notSubscribed(_ refusal: PromptDelivery.Refusal, server: String) -> OppiError
  {
    OppiError(refusal, server: server).because(.notSubscribed(refusal))
  }

  package static func hungUp(server: String) -> OppiError { closed(by: server, .hungUp) }

  static func streamExpired(server: String) -> OppiError { closed(by: server, .streamExpired) }

  private static func closed(by server: String, _ reason: Reason) -> OppiError {
    OppiError(
      .serverUnreachable,
      "\(server) closed the connection",
      hints: ["retry"],
      because: reason
    )
  }

  package static func noAnswer(server: String) -> OppiError {
    OppiError(
      .timedOut,
      "Connection timed out: \(server) does not respond",
      hints: ["the server may be busy; retry with a longer --timeout"],
      because: .noAnswer
    )
  }

  package static func transport(_ error: TransportError, server: String) -> OppiError {
    let (code, message, hint) = words(for: error, server)
    return OppiError(code, message, hints: hint.map { [$0] } ?? [], because: .transport(error))
  }

  private static func words(
    for error: TransportError,
    _ server: String
  ) -> (Code, String, hint: String?) {
    let unreachable = "Can't reach \(server)"
    return switch error {
    case .cancelled: (.interrupted, "interrupted", nil)
    case .timedOut(let step):
      (
        .timedOut,
        "Connection timed out: \(server) (\(step.rawValue))",
        "check that the server is running and its address is correct: oppi servers"
      )
    case .lookupFailed(let reason): (.serverUnreachable, "\(unreachable): \(reason)", checkAddress)
    case .connectFailed(let cause), .ioFailed(let cause):
      (.serverUnreachable, "\(unreachable): \(cause)", checkAddress)
    case .closed(let step):
      (.serverUnreachable, "\(server) closed the connection (\(step.rawValue))", testServers)
    case .proxyFailed(let reason):
      (.serverUnreachable, "\(unreachable): proxy error: \(reason.safeLine())", testServers)
    case .tlsUnavailable:
      (
        .tlsUnavailable,
        "\(unreachable): https requires OpenSSL's libssl, which is not installed",
        "install it (Debian: apt install libssl3)"
      )
    case .tlsFailed(let reason):
      (.serverUnreachable, "\(unreachable): TLS failed: \(reason.safeLine())", testServers)
    case .certificateRejected(let reason):
      (
        .certificateRejected,
        "the certificate of \(server) is not trusted: \(reason.safeLine())",
        "pair with an invite that pins the certificate"
      )
    case .pinMismatch(let found):
      (
        .pinMismatch,
        "the certificate of \(server) does not match its pin; nothing was sent",
        "the certificate is now \(found); if it was replaced, pair again with a new invite"
      )
    case .malformedRequest(let cause): (.bug, "invalid request: \(cause)", nil)
    case .malformedAnswer(let cause):
      (.protocolBroken, "\(server) sent an invalid HTTP response: \(cause)", checkVersion)
    case .upgradeRefused(let cause):
      (.protocolBroken, "the WebSocket handshake with \(server) failed: \(cause)", checkVersion)
    case .webSocketBroken(let cause):
      (.protocolBroken, "\(server) violated the WebSocket protocol: \(cause)", checkVersion)
    }
  }

  private static let checkAddress = "check the address with: oppi servers"
  /// Does not suggest a retry, because a prompt may have been in transit.
  private static let testServers = "test the connection with: oppi servers test"
}

extension OppiError {
  /// Describes why a prompt or a subscription was refused.
  package init(_ refusal: PromptDelivery.Refusal, server: String) {
    let text = refusal.text?.safeLine() ?? ""
    if let limit = refusal.limit {
      self.init(.limited, limit.sentence(reset: nil))
      return
    }
    switch refusal {
    case .full(_, let serverCode):
      self.init(
        .noRoom,
        "\(server) has no room for another session: \(text)",
        hints: [
          "end idle sessions with: oppi stop --idle; the server ends them after 10 min"
        ]
      )
      details["serverCode"] = serverCode.map(JSONValue.string)
    case .startFailed:
      self.init(.agentNotStarted, "\(server) cannot start the agent: \(text)")
    case .rejected(_, let serverCode):
      self.init(.promptRefused, "\(server) refused the request: \(text)")
      switch ServerRefusal(words: text) {
      case .subscribeRateLimit: code = .tooManyRequests
      case .sessionNotFound:
        code = .noSuchSession
        hints = [Self.sessionNames]
      default: break
      }
      details["serverCode"] = serverCode.map(JSONValue.string)
    case .agentRefused: self.init(.promptRefused, "the agent refused the prompt: \(text)")
    case .busy:
      self.init(.sessionBusy, "another turn has just started in the session", hints: ["retry"])
    case .silent:
      self.init(
        .promptRefused,
        "the agent refused the prompt; this server version does not report why"
      )
    }
  }
}
