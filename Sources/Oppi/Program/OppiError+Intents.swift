// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

extension OppiError {
  init(_ error: IntentError) {
    switch error {
    case .transport(let cause, let server): self.init(cause, server: server)
    case .refused(let status, let message, let server):
      self.init(status: status, message: message, server: server)
    case .malformedAnswer(let server, let what):
      self.init(brokenProtocol: "\(server) sent an invalid response (\(what))")
    case .notSubscribed(let refusal, let server): self.init(refusal, server: server)
    case .hungUp(let server), .streamExpired(let server):
      self.init(.serverUnreachable, "\(server) closed the connection", hints: ["retry"])
    case .noAnswer(let server):
      self.init(.timedOut, "Connection timed out: \(server) does not respond", hints: [Self.slow])
    case .file(let cause): self.init(cause)
    case .credential(let cause, let server): self.init(cause, server: server)
    case .keyProgram(let failure, let server): self.init(failure, server: server)
    case .noToken(let cause): self.init(cause)
    case .accessRefused(let refusal, let server): self.init(refusal, server: server)
    case .pairingLost(let server):
      self.init(
        .timedOut,
        "\(server) did not answer the pairing request; the invite may be used up",
        hints: ["create \(Self.newInvite)"]
      )
    case .pairingUnfinished(let cause):
      self.init(cause)
      hints.append("the invite is used up; create \(Self.newInvite)")
    case .invite(let cause): self.init(cause)
    case .crypto(let cause): self.init(cause)
    case .identityMismatch(let server):
      self.init(
        .identityMismatch,
        "\(server) is not the server of the invite",
        hints: ["create a new invite on the server with 'oppi pair' and check its address"]
      )
    case .unprovenInvite(let server): self = Self.unprovenInvite(server)
    case .changesServer(let server, let place): self = Self.changesServer(server, to: place)
    case .otherServer(let server):
      self.init(
        .identityMismatch,
        "a different server answers at the address of \(server)",
        hints: [
          "check the address with: oppi servers show",
          "if the server was reinstalled, pair again: oppi pair -",
        ]
      )
    case .imagesTooLarge(let excess, let server): self.init(excess, server: server)
    case .imageRefused(let number, let message, let server):
      self.init(
        .badInput,
        "\(server) refused image \(number)\(message.map { ": \($0)" } ?? "")"
      )
    case .noIdentity(let server):
      self.init(brokenProtocol: "\(server) has no identity key")
    case .notPaired, .unknownServer, .unknownWorkspace, .ambiguousWorkspace, .workspaceNeeded,
      .unknownModel, .unknownSession, .ambiguousSession, .unconfirmedMatch, .sessionContinued,
      .overBudget,
      .noBusySession, .requestNotWhole,
      .noLaunchTarget, .staleLaunchTarget:
      self.init(unnamed: error)
    }
  }

  /// A named thing that does not exist or is ambiguous, or a missing name.
  private init(unnamed error: IntentError) {
    switch error {
    case .notPaired:
      self.init(.notPaired, "not paired with any server", hints: [Self.pairFirst, Self.tryDemo])
    case .unknownServer(let name, let known):
      let hints =
        Suggestions.hint(naming: Suggestions.closest(to: name, among: known))
        .map { [$0] } ?? Self.list(known)
      self.init(.noSuchServer, "no paired server '\(name.safeLine())'", hints: hints)
    case .unknownWorkspace(let name, let known):
      let others = known.isEmpty ? ["list workspaces with: oppi workspaces"] : Self.list(known)
      let hints =
        Suggestions.hint(naming: Self.workspaces(like: name, among: known)).map { [$0] }
        ?? others
      self.init(.noSuchWorkspace, "no workspace '\(name.safeLine())'", hints: hints)
    case .unknownModel(let id, let known, let server):
      self.init(unknownModel: id, among: known, of: server)
    case .unknownSession(let name):
      self.init(.noSuchSession, "no session '\(name.safeLine())'", hints: [Self.sessionNames])
    case .overBudget(let excess, let workspace):
      let (name, limit) =
        switch excess {
        case .day(let limit): ("day", limit)
        case .month(let limit): ("month", limit)
        }
      self.init(
        .overBudget,
        "the budget of \(limit.text) a \(name) for \(workspace.safeLine(limit: 120)) is used up; "
          + "nothing was sent",
        hints: ["see the costs with: oppi history --costs"]
      )
    case .sessionContinued(let id):
      self.init(.expired, "session \(id) has since received another message; nothing was sent")
    case .ambiguousWorkspace(let name, let candidates):
      self.init(ambiguous: name, among: "workspaces", candidates)
    case .ambiguousSession(let name, let candidates):
      self.init(ambiguous: name, among: "sessions", candidates)
    case .unconfirmedMatch(let name, let match, let cause):
      self.init(cause)
      message = "'\(name.safeLine())' matches \(match), but not every server was asked: \(message)"
      hints = ["if that is the one, use its full name: \(match)"]
    case .workspaceNeeded(let known):
      self.init(.usage, "no workspace given; specify one with -w", hints: Self.list(known))
    case .noBusySession:
      self.init(
        .noSuchSession,
        "no session is running",
        hints: ["specify a session: oppi follow SESSION"]
      )
    case .requestNotWhole(let id):
      self.init(
        .badInput,
        "cannot approve request \(id): it is too long to be shown in full",
        hints: ["deny it: oppi deny \(id)"]
      )
    case .noLaunchTarget:
      self.init(.noLaunchTarget, "no launch target", hints: ["create one with: oppi new"])
    case .staleLaunchTarget(let age):
      self.init(
        .noLaunchTarget,
        "the launch target is \(RelativeTime.age(seconds: age)) old and was discarded",
        hints: ["create a new one with: oppi new"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  private init(ambiguous name: String, among things: String, _ candidates: [String]) {
    self.init(
      .ambiguousName,
      "'\(name.safeLine())' is ambiguous: it matches several \(things)",
      hints: ["use one of: \(candidates.joined(separator: ", "))"]
    )
  }

  /// The workspaces, as `server/workspace`, with names similar to a mistyped word.
  private static func workspaces(like word: String, among known: [String]) -> [String] {
    // Without a server in the word, only the workspace's name is compared.
    let comparable = known.map { name in
      let end = word.contains("/") ? nil : name.firstIndex(of: "/")
      return end.map { String(name[name.index(after: $0)...]) } ?? name
    }
    let close = Suggestions.closest(to: word, among: comparable)
    return zip(known, comparable).filter { close.contains($0.1) }.prefix(2).map(\.0)
  }

  private static func list(_ names: [String]) -> [String] {
    names.isEmpty ? [] : ["available: \(names.prefix(20).joined(separator: ", "))"]
  }

  static let sessionNames = "specify a session by its id, the start of its id, or 'last'"
  static let pairFirst =
    "run 'oppi pair' on the server's machine and give the invite to 'oppi pair -' here"
  private static let newInvite = "a new one on the server's machine: oppi pair --json"
  static let tryDemo = "try oppi without a server: oppi demo"
  /// An answer that no Oppi server of a known version sends.
  init(brokenProtocol message: String) {
    self.init(
      .protocolBroken,
      message,
      hints: ["check that it is an Oppi server of a supported version: oppi servers test"]
    )
  }

  private static let slow = "the server may be busy; retry with a longer --timeout"

  private init(status: Int, message: String?, server: String) {
    if let message, ServerRefusal(words: message) == .sessionLimit {
      self.init(.full(message, code: nil), server: server)
      return
    }
    let said = message.map { ": \($0)" } ?? ""
    switch status {
    case 401:
      self.init(
        .unauthorized,
        "\(server) rejected this machine's token\(said)",
        hints: ["pair again with a new invite: oppi pair -"]
      )
    case 403: self.init(.unauthorized, "\(server) denied access (403)\(said)")
    case 404:
      self.init(brokenProtocol: "\(server) does not know the requested path (404)\(said)")
    case 429:
      self.init(
        .tooManyRequests,
        "\(server) received too many requests\(said)",
        hints: ["wait two minutes and retry"]
      )
    case 503: self.init(.timedOut, "\(server) is not ready (503)\(said)", hints: ["retry"])
    case 500...: self.init(.serverError, "\(server) failed (\(status))\(said)")
    case 400..<500: self.init(.badInput, "\(server) refused the request (\(status))\(said)")
    default: self.init(brokenProtocol: "\(server) returned status \(status)\(said)")
    }
  }
}
