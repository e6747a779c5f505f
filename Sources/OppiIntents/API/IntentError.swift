// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
package import OppiTransport

/// Why an intent failed.
package enum IntentError: Error {
  /// The server could not be talked to.
  case transport(TransportError, server: String)
  /// The server answered with an error status and, mostly, its own words.
  case refused(status: Int, message: String?, server: String)
  /// The server answered with something that is not its protocol.
  case malformedAnswer(server: String, what: String)
  /// The server has no agent for the session, or let nobody subscribe to it.
  case notSubscribed(PromptDelivery.Refusal, server: String)
  /// The server closed the stream in the middle.
  case hungUp(server: String)
  /// No answer came over a stream that stands.
  case noAnswer(server: String)
  case file(FileError)
  case credential(CredentialError, server: String)
  case invite(InviteError)
  /// The server is not the one that the invite names.
  case identityMismatch(server: String)
  case noIdentity(server: String)
  /// Another server answers at the address of a paired one.
  case otherServer(server: String)
  case notPaired
  case unknownServer(name: String, known: [String])
  case unknownWorkspace(name: String, known: [String])
  case ambiguousWorkspace(name: String, candidates: [String])
  case workspaceNeeded(known: [String])
  /// The server offers other models.
  case unknownModel(id: String, known: [LanguageModel], server: String)
  case unknownSession(name: String)
  case ambiguousSession(name: String, candidates: [String])
  /// No session was named, and none is at work.
  case noBusySession
  /// A part of the request was too long to be kept, so that it can only be denied.
  case requestNotWhole(id: String)
  case noLaunchTarget
  /// The launch target was so many seconds old, and is gone.
  case staleLaunchTarget(age: Int)
}

extension IntentError {
  /// Whether trying again may help: the server, or the way to it, may come back.
  package var isPassing: Bool {
    switch self {
    case .hungUp, .noAnswer: true
    case .refused(let status, _, _): status >= 500 || status == 429
    case .transport(let cause, _):
      switch cause {
      case .timedOut, .lookupFailed, .connectFailed, .closed, .ioFailed, .proxyFailed: true
      default: false
      }
    default: false
    }
  }

  /// Whether it was this program that wanted no more.
  package var isCancellation: Bool {
    switch self {
    case .transport(.cancelled, _), .credential(.command(.cancelled), _): true
    default: false
    }
  }

  /// Whether the server had no agent for the session, which may change: it has no room, or the
  /// start failed.
  var isRefusedStart: Bool {
    switch self {
    case .notSubscribed(.full, _), .notSubscribed(.startFailed, _): true
    default: false
    }
  }

  /// Whether it is that an answer did not come in time.
  var isTimeout: Bool {
    switch self {
    case .noAnswer, .transport(.timedOut, _): true
    default: false
    }
  }

  /// Whether the server may have heard what was sent, though it did not say so.
  var mayHaveArrived: Bool {
    switch self {
    case .hungUp, .noAnswer, .malformedAnswer: true
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
