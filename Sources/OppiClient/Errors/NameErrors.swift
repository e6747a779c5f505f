// SPDX-License-Identifier: MIT

import CommandTable
import OppiText
package import OppiWire

/// Names of servers, workspaces and sessions that do not exist, are ambiguous or are missing.
extension OppiError {
  package static let notPaired = OppiError(
    .notPaired,
    "not paired with any server",
    hints: [createInvite, "pair with it here: oppi pair -", tryDemo]
  )

  static func unknownServer(name: String, known: [String]) -> OppiError {
    OppiError(
      .noSuchServer,
      "no paired server '\(name.safeLine())'",
      hints: meant(Suggestions.closest(to: name, among: known)) ?? list(known)
    )
  }

  /// No server has the workspace; it may be on those that could not be asked.
  static func unknownWorkspace(
    name: String,
    known: [String] = [],
    on servers: [PairedServer] = [],
    without unasked: [ServerFailure] = []
  ) -> OppiError {
    let hints =
      meant(workspaces(like: name, among: known))
      ?? (known.isEmpty ? ["list workspaces with: oppi workspaces"] : list(known))
    guard unasked.isEmpty else {
      return notFound("workspace", named: name, on: servers, without: unasked, hints: hints)
    }
    return OppiError(.noSuchWorkspace, "no workspace '\(name.safeLine())'", hints: hints)
      .because(.unknownWorkspace)
  }

  static func ambiguousWorkspace(name: String, candidates: [String]) -> OppiError {
    ambiguous(name, among: "workspaces", candidates)
  }

  /// A prompt without a workspace; `known` is empty if they could not be listed.
  static func workspaceNeeded(known: [String]) -> OppiError {
    OppiError(.usage, "no workspace given; specify one with -w", hints: list(known))
  }

  package static func unknownSession(name: String) -> OppiError {
    OppiError(.noSuchSession, "no session '\(name.safeLine())'", hints: [sessionNames])
      .because(.unknownSession)
  }

  static func ambiguousSession(name: String, candidates: [String]) -> OppiError {
    ambiguous(name, among: "sessions", candidates)
  }

  /// Nothing has the name on the servers that answered; it may be on those that could not be asked,
  /// the first of which sets the exit status.
  package static func notFound(
    _ thing: String,
    named name: String,
    on servers: [PairedServer],
    without unasked: [ServerFailure],
    hints: [String] = []
  ) -> OppiError {
    let silent = Set(unasked.map(\.server.id))
    let asked = servers.filter { !silent.contains($0.id) }
    guard var error = unasked.first?.error, !asked.isEmpty else {
      return unasked.first?.error ?? OppiError(.bug, "no server failed")
    }
    error.message =
      "no \(thing) '\(name.safeLine(limit: 60))' on \(asked.map(\.name).joined(separator: ", ")); "
      + "\(unasked.map(\.server.name).joined(separator: ", ")) could not be asked"
    error.hints = hints + unasked.map(\.error.message) + error.hints
    return error
  }

  /// The start of an id matches `match`, and may match another on a server that could not be
  /// queried.
  package static func unconfirmedMatch(name: String, match: String, because cause: OppiError)
    -> OppiError
  {
    var error = cause.because(nil)
    error.message =
      "'\(name.safeLine())' matches \(match), but not every server was asked: \(cause.message)"
    error.hints = ["if that is the one, use its full name: \(match)"]
    return error
  }

  private static func ambiguous(
    _ name: String,
    among things: String,
    _ candidates: [String]
  ) -> OppiError {
    OppiError(
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

  /// Asks whether one of the names was meant; `nil` if there is none.
  private static func meant(_ close: [String]) -> [String]? {
    Suggestions.hint(naming: close).map { [$0] }
  }

  private static func list(_ names: [String]) -> [String] {
    names.isEmpty ? [] : ["available: \(names.prefix(20).joined(separator: ", "))"]
  }

  static let sessionNames = "specify a session by its id, the start of its id, or 'last'"
  package static let createInvite = "create an invite on the server's machine: oppi pair --json"
  static let tryDemo = "try oppi without a server: oppi demo"
}

/// A server that could not be queried, and why.
package typealias ServerFailure = (server: PairedServer, error: OppiError)
