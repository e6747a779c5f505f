// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiSystem
import OppiTransport

extension OppiError {
  /// Says what any error of the layers below means to the user.
  init(_ error: any Error) {
    switch error {
    case let error as OppiError: self = error
    case let error as UsageError: self.init(error)
    case let error as IntentError: self.init(error)
    case let error as FileError: self.init(error)
    case let error as AskFailure: self.init(error)
    case let error as InviteError: self.init(error)
    case let error as SystemError: self.init(error)
    case let error as OutputStream.Failure: self.init(error)
    case is CancellationError, EventLoop.WaitError.cancelled:
      self.init(.interrupted, "interrupted")
    case EventLoop.WaitError.timedOut: self.init(.timedOut, "timed out")
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  init(_ error: UsageError) {
    let command = (["oppi"] + error.commandPath).joined(separator: " ")
    self.init(.usage, error.message, hints: [error.hint ?? "see '\(command) --help'"])
  }
}

// MARK: - Intents

extension OppiError {
  init(_ error: IntentError) {
    switch error {
    case .transport(let cause, let server): self.init(cause, server: server)
    case .refused(let status, let message, let server):
      self.init(status: status, message: message, server: server)
    case .malformedAnswer(let server, let what):
      self.init(.protocolBroken, "\(server) sent an answer that cannot be read (\(what))")
    case .notSubscribed(let refusal, let server): self.init(refusal, server: server)
    case .hungUp(let server):
      self.init(.serverUnreachable, "\(server) ended the connection", hints: ["try again"])
    case .noAnswer(let server):
      self.init(.timedOut, "Connection timed out: \(server) does not answer", hints: [Self.slow])
    case .file(let cause): self.init(cause)
    case .credential(let cause, let server): self.init(cause, server: server)
    case .invite(let cause): self.init(cause)
    case .identityMismatch(let server):
      self.init(
        .identityMismatch,
        "\(server) is not the server that the invite is for",
        hints: ["make a fresh invite on the server with 'oppi pair' and check its address"]
      )
    case .noIdentity(let server):
      self.init(.protocolBroken, "\(server) has no identity to remember it by")
    case .notPaired:
      self.init(.notPaired, "not paired with any server", hints: [Self.pairFirst])
    case .unknownServer(let name, let known):
      let name = name.safeLine()
      self.init(.noSuchServer, "no paired server '\(name)'", hints: Self.list(known))
    case .unknownWorkspace(let name, let known):
      let hints = known.isEmpty ? ["see what there is with: oppi workspaces"] : Self.list(known)
      self.init(.noSuchWorkspace, "no workspace '\(name.safeLine())'", hints: hints)
    case .unknownSession(let name):
      self.init(.noSuchSession, "no session '\(name.safeLine())'", hints: [Self.sessionNames])
    case .ambiguousWorkspace(let name, let candidates):
      self.init(ambiguous: name, among: "workspaces", candidates)
    case .ambiguousSession(let name, let candidates):
      self.init(ambiguous: name, among: "sessions", candidates)
    case .workspaceNeeded(let known):
      self.init(.usage, "which workspace? name one with -w", hints: Self.list(known))
    }
  }

  private init(ambiguous name: String, among things: String, _ candidates: [String]) {
    self.init(
      .ambiguousName,
      "'\(name.safeLine())' names several \(things)",
      hints: ["say one of: \(candidates.joined(separator: ", "))"]
    )
  }

  private static func list(_ names: [String]) -> [String] {
    names.isEmpty ? [] : ["there are: \(names.prefix(20).joined(separator: ", "))"]
  }

  static let sessionNames = "a session is named by its id, the beginning of its id, or 'last'"
  static let pairFirst =
    "run 'oppi pair' on the server's machine and give the invite to 'oppi pair -' here"
  private static let slow = "the server may be busy; a longer --timeout waits longer"

  /// An HTTP answer with an error status.
  private init(status: Int, message: String?, server: String) {
    if let message, message.isSessionLimit {
      self.init(.full(message, code: nil), server: server)
      return
    }
    let said = message.map { ": \($0)" } ?? ""
    switch status {
    case 401:
      self.init(
        .unauthorized,
        "\(server) does not accept this machine's token\(said)",
        hints: ["pair again with a fresh invite: oppi pair -"]
      )
    case 403: self.init(.unauthorized, "\(server) refused (403)\(said)")
    case 404:
      self.init(
        .protocolBroken,
        "\(server) has nothing under this address (404)\(said)",
        hints: ["is it an Oppi server, and not too old or too new?"]
      )
    case 429:
      self.init(
        .tooManyRequests,
        "\(server) was asked too often\(said)",
        hints: ["wait two minutes and try again"]
      )
    case 503: self.init(.timedOut, "\(server) is not ready (503)\(said)", hints: ["try again"])
    case 500...: self.init(.serverError, "\(server) failed (\(status))\(said)")
    case 400..<500: self.init(.badInput, "\(server) refused the request (\(status))\(said)")
    default: self.init(.protocolBroken, "\(server) answered \(status)\(said)")
    }
  }
}

// MARK: - Transport

extension OppiError {
  private init(_ error: TransportError, server: String) {
    let unreachable = "Can't reach \(server)"
    switch error {
    case .cancelled: self.init(.interrupted, "interrupted")
    case .timedOut(let step):
      self.init(
        .timedOut,
        "Connection timed out: \(server) (\(step.rawValue))",
        hints: ["is the server running and its address right? oppi servers"]
      )
    case .lookupFailed(let reason):
      self.init(.serverUnreachable, "\(unreachable): \(reason)", hints: [Self.checkAddress])
    case .connectFailed(let cause), .ioFailed(let cause):
      self.init(.serverUnreachable, "\(unreachable): \(cause)", hints: [Self.checkAddress])
    case .closed(let step):
      self.init(.serverUnreachable, "\(server) closed the connection (\(step.rawValue))")
    case .proxyFailed(let reason):
      self.init(.serverUnreachable, "\(unreachable): the proxy failed: \(reason.safeLine())")
    case .tlsUnavailable:
      self.init(
        .tlsUnavailable,
        "\(unreachable): https needs OpenSSL's libssl, which is not installed",
        hints: ["install it (Debian: apt install libssl3)"]
      )
    case .tlsFailed(let reason):
      self.init(.serverUnreachable, "\(unreachable): TLS failed: \(reason.safeLine())")
    case .certificateRejected(let reason):
      self.init(
        .certificateRejected,
        "the certificate of \(server) is not trusted: \(reason.safeLine())",
        hints: ["pair with an invite that pins it"]
      )
    case .pinMismatch(let found):
      self.init(
        .pinMismatch,
        "the certificate of \(server) is not the pinned one; nothing was sent",
        hints: [
          "it is now \(found); if the server made a new one, pair again with a fresh invite"
        ]
      )
    case .malformedRequest(let cause):
      self.init(.bug, "a request that cannot be sent: \(cause)")
    case .malformedAnswer(let cause):
      self.init(.protocolBroken, "\(server) does not speak HTTP as it should: \(cause)")
    case .upgradeRefused(let cause):
      self.init(.protocolBroken, "\(server) refused the WebSocket: \(cause)")
    case .webSocketBroken(let cause):
      self.init(.protocolBroken, "\(server) broke the WebSocket protocol: \(cause)")
    }
  }

  private static let checkAddress = "check the address with 'oppi servers'"
}

// MARK: - Credentials and invites

extension OppiError {
  private init(_ error: CredentialError, server: String) {
    switch error {
    case .missing:
      self.init(.noToken, "no token for \(server)", hints: ["pair again: oppi pair -"])
    case .file(let cause): self.init(cause)
    case .commandFailed(let status):
      self.init(.noToken, "the token command of \(server) ended with status \(status)")
    case .command(.timedOut):
      self.init(.noToken, "the token command of \(server) took longer than 2 s")
    case .command(.cannotStart(let cause)):
      self.init(.noToken, "the token command of \(server) cannot be started: \(cause)")
    case .command(.tooMuchOutput):
      self.init(.noToken, "the token command of \(server) printed too much")
    case .command(.cancelled): self.init(.interrupted, "interrupted")
    case .invalid(let source):
      self.init(.noToken, "what \(source) holds for \(server) is not a token")
    }
  }

  private init(_ error: InviteError) {
    let fresh = ["make a fresh one on the server's machine: oppi pair --json"]
    switch error {
    case .notAnInvite: self.init(.badInput, "that is not an invite", hints: fresh)
    case .unsupportedVersion:
      self.init(.badInput, "the invite is of a version that is not supported", hints: fresh)
    case .malformed(let field):
      self.init(.badInput, "the invite's '\(field)' cannot be used", hints: fresh)
    case .noToken: self.init(.badInput, "the invite has no token", hints: fresh)
    }
  }
}
