// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTransport

enum IntentError: Error {
  /// The server could not be reached.
  case transport(TransportError, server: String)
  /// The server answered with an error status and, usually, a message.
  case refused(status: Int, message: String?, server: String)
  /// The server's answer does not follow its protocol.
  case malformedAnswer(server: String, what: String)
  /// The server has no agent for the session, or refused the subscription.
  case notSubscribed(PromptDelivery.Refusal, server: String)
  /// The server closed the stream before the end.
  case hungUp(server: String)
  /// The server ended the stream as planned, or wants another one; it admits one at once.
  case streamExpired(server: String)
  /// No answer came over an open stream.
  case noAnswer(server: String)
  case file(FileError)
  case credential(CredentialError, server: String)
  /// The program that signs for this machine.
  case keyProgram(KeyProgram.Failure, server: String)
  /// No access token was received, so that the request which needs it was not sent.
  indirect case noToken(IntentError)
  /// The server issues no access token to this device.
  case accessRefused(AccessRefusal, server: String)
  /// The answer to a pairing was lost; the invite may be used up.
  case pairingLost(server: String)
  /// The server paired this machine and used up the invite, but nothing was stored.
  indirect case pairingUnfinished(IntentError)
  case invite(InviteError)
  /// A signature cannot be checked.
  case crypto(CryptoError)
  /// The server's identity is not the one in the invite.
  case identityMismatch(server: String)
  case noIdentity(server: String)
  /// An invite that is not signed names a server that has proved its key.
  case unprovenInvite(server: String)
  /// An invite that proves nothing names a paired server at another place.
  case changesServer(PairedServer, to: ServerPlace)
  /// Another server answers at the address of a paired one.
  case otherServer(server: String)
  case notPaired
  case unknownServer(name: String, known: [String])
  case unknownWorkspace(name: String, known: [String])
  case ambiguousWorkspace(name: String, candidates: [String])
  case workspaceNeeded(known: [String])
  case unknownModel(id: String, known: [LanguageModel], server: String)
  case unknownSession(name: String)
  case ambiguousSession(name: String, candidates: [String])
  /// The start of an id matches this one, and may match another on a server that could not be
  /// queried.
  indirect case unconfirmedMatch(name: String, match: String, because: IntentError)
  /// A budget of the workspace, by its label, is used up; nothing was sent.
  case overBudget(Budget.Excess, workspace: String)
  /// The session has other messages than expected; nothing was sent.
  case sessionContinued(String)
  /// No session was named, and none is busy.
  case noBusySession
  /// The images exceed a limit of the server; nothing was sent.
  case imagesTooLarge(ServerInfo.UploadLimits.Excess, server: String)
  /// The server does not take an image, by its position from 1; the prompt was not sent.
  case imageRefused(number: Int, message: String?, server: String)
  /// A part of the request was too long to keep; it can only be denied.
  case requestNotWhole(id: String)
  case noLaunchTarget
  /// The launch target expired; its age is in seconds.
  case staleLaunchTarget(age: Int)
}

extension IntentError {
  /// Whether the server has refused access to this device until it is paired again.
  var isFinalRefusal: Bool {
    if case .accessRefused(let refusal, _) = self { refusal.isFinal } else { false }
  }

  /// Whether a retry may help: the server or the connection may recover.
  var isPassing: Bool {
    switch self {
    case .hungUp, .noAnswer, .streamExpired, .overBudget: true
    case .noToken(let cause): cause.isPassing
    case .refused(let status, _, _): status >= 500 || status == 429
    case .accessRefused(let refusal, _):
      refusal == .rateLimited || refusal == .tooManyChallenges || refusal == .newTokenRejected
    case .transport(let cause, _):
      switch cause {
      case .timedOut, .lookupFailed, .connectFailed, .closed, .ioFailed, .proxyFailed: true
      default: false
      }
    default: false
    }
  }

  /// Whether the stream ended as planned, which is no failure.
  var isPlanned: Bool {
    if case .streamExpired = self { true } else { false }
  }

  /// Whether this program cancelled the operation.
  var isCancellation: Bool {
    switch self {
    case .transport(.cancelled, _), .credential(.command(.cancelled), _),
      .keyProgram(.program(.cancelled), _):
      true
    case .noToken(let cause): cause.isCancellation
    default: false
    }
  }

  /// Whether the server had no agent for the session, which may change: it is full, or the start
  /// failed.
  var isRefusedStart: Bool {
    switch self {
    case .notSubscribed(.full, _), .notSubscribed(.startFailed, _): true
    default: false
    }
  }

  /// The server's words if it has no room for another session: it has performed nothing.
  var sessionLimit: String? {
    guard case .refused(_, let message?, _) = self, ServerRefusal(words: message) == .sessionLimit
    else { return nil }
    return message
  }

  /// Whether the server lacks a route: it speaks another dialect than it is known to.
  var isMissingRoute: Bool {
    guard case .refused(404, let message, _) = self else { return false }
    return message == nil || message == "Not found"
  }

  var isTimeout: Bool {
    switch self {
    case .noAnswer, .transport(.timedOut, _): true
    case .noToken(let cause): cause.isTimeout
    default: false
    }
  }

  /// The error of a request that was not sent, because a request for its token failed.
  var beforeRequest: IntentError { mayHaveArrived ? .noToken(self) : self }

  /// Whether the server may have received the request without confirming it.
  var mayHaveArrived: Bool {
    switch self {
    case .hungUp, .noAnswer, .streamExpired, .malformedAnswer: true
    case .refused(let status, _, _): status >= 500
    case .transport(let cause, _):
      switch cause {
      case .timedOut(.request), .timedOut(.answer), .closed(.request), .closed(.answer), .ioFailed,
        .malformedAnswer, .webSocketBroken, .cancelled:
        true
      default: false
      }
    default: false
    }
  }
}
