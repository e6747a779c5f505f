// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

extension OppiError {
  init(_ error: IntentError) {
    switch error {
    case .transport(let cause, let server): self.init(cause, server: server)
    case .refused(let status, let message, let server):
      self.init(status: status, message: message, server: server)
    case .malformedAnswer(let server, let what):
      self.init(brokenProtocol: "\(server) sent an answer that cannot be read (\(what))")
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
    case .otherServer(let server):
      self.init(
        .identityMismatch,
        "another server answers at the address of \(server)",
        hints: [
          "check the address with: oppi servers show",
          "if the server was set up anew, pair with it again: oppi pair -",
        ]
      )
    case .noIdentity(let server):
      self.init(brokenProtocol: "\(server) has no identity to remember it by")
    case .notPaired, .unknownServer, .unknownWorkspace, .ambiguousWorkspace, .workspaceNeeded,
      .unknownModel, .unknownSession, .ambiguousSession, .noBusySession, .requestNotWhole,
      .noLaunchTarget, .staleLaunchTarget:
      self.init(unnamed: error)
    }
  }

  /// What was asked for cannot be told, or is not there.
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
      let others = known.isEmpty ? ["see what there is with: oppi workspaces"] : Self.list(known)
      let hints =
        Suggestions.hint(naming: Self.workspaces(like: name, among: known)).map { [$0] }
        ?? others
      self.init(.noSuchWorkspace, "no workspace '\(name.safeLine())'", hints: hints)
    case .unknownModel(let id, let known, let server):
      self.init(unknownModel: id, among: known, of: server)
    case .unknownSession(let name):
      self.init(.noSuchSession, "no session '\(name.safeLine())'", hints: [Self.sessionNames])
    case .ambiguousWorkspace(let name, let candidates):
      self.init(ambiguous: name, among: "workspaces", candidates)
    case .ambiguousSession(let name, let candidates):
      self.init(ambiguous: name, among: "sessions", candidates)
    case .workspaceNeeded(let known):
      self.init(.usage, "which workspace? name one with -w", hints: Self.list(known))
    case .noBusySession:
      self.init(.noSuchSession, "no session is busy", hints: ["name one: oppi follow SESSION"])
    case .requestNotWhole(let id):
      self.init(
        .badInput,
        "request \(id) is too long to be shown in full, so it cannot be approved",
        hints: ["deny it: oppi deny \(id)"]
      )
    case .noLaunchTarget:
      self.init(.noLaunchTarget, "no launch target", hints: ["leave one with: oppi new"])
    case .staleLaunchTarget(let age):
      self.init(
        .noLaunchTarget,
        "the launch target is \(RelativeTime.age(seconds: age)) old and was discarded",
        hints: ["leave a new one with: oppi new"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  private init(ambiguous name: String, among things: String, _ candidates: [String]) {
    self.init(
      .ambiguousName,
      "'\(name.safeLine())' names several \(things)",
      hints: ["say one of: \(candidates.joined(separator: ", "))"]
    )
  }

  /// The workspaces, each named with its server, whose names a mistyped word may have meant.
  private static func workspaces(like word: String, among known: [String]) -> [String] {
    // Where the word names no server, only the rest of each name can be like it.
    let comparable = known.map { name in
      let end = word.contains("/") ? nil : name.firstIndex(of: "/")
      return end.map { String(name[name.index(after: $0)...]) } ?? name
    }
    let close = Suggestions.closest(to: word, among: comparable)
    return zip(known, comparable).filter { close.contains($0.1) }.prefix(2).map(\.0)
  }

  private static func list(_ names: [String]) -> [String] {
    names.isEmpty ? [] : ["there are: \(names.prefix(20).joined(separator: ", "))"]
  }

  static let sessionNames = "a session is named by its id, the beginning of its id, or 'last'"
  static let pairFirst =
    "run 'oppi pair' on the server's machine and give the invite to 'oppi pair -' here"
  static let tryDemo = "try oppi without a server: oppi demo"
  /// The server says what no Oppi server of a known version says.
  init(brokenProtocol message: String) {
    self.init(
      .protocolBroken,
      message,
      hints: ["is it an Oppi server, and not too old or too new? oppi servers test"]
    )
  }

  private static let slow = "the server may be busy; a longer --timeout waits longer"

  /// An HTTP answer with an error status.
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
        "\(server) does not accept this machine's token\(said)",
        hints: ["pair again with a fresh invite: oppi pair -"]
      )
    case 403: self.init(.unauthorized, "\(server) refused (403)\(said)")
    case 404:
      self.init(brokenProtocol: "\(server) has nothing under this address (404)\(said)")
    case 429:
      self.init(
        .tooManyRequests,
        "\(server) was asked too often\(said)",
        hints: ["wait two minutes and try again"]
      )
    case 503: self.init(.timedOut, "\(server) is not ready (503)\(said)", hints: ["try again"])
    case 500...: self.init(.serverError, "\(server) failed (\(status))\(said)")
    case 400..<500: self.init(.badInput, "\(server) refused the request (\(status))\(said)")
    default: self.init(brokenProtocol: "\(server) answered \(status)\(said)")
    }
  }
}
