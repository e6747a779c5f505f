// SPDX-License-Identifier: MIT

import OppiModel

/// Failures of pairing, and of commands for paired servers.
extension OppiError {
  static let linkWithJSON = OppiError(
    .usage,
    "--link requires confirmation; it cannot be used with --json"
  )
  static let linkWithoutTerminal = OppiError(.usage, "--link without an invite requires a terminal")
  static let noPendingLink = OppiError(
    .noInput,
    "no pending link; a link is valid for 90 s after it was opened",
    hints: ["open it again, or paste the invite: oppi pair -"]
  )
  static let linkWithoutIdentity = OppiError(
    .badInput,
    "not paired: the link does not contain the server's identity",
    hints: ["paste an invite of your own: oppi pair -"]
  )

  static func pairingDeclined(_ endpoint: Endpoint) -> OppiError {
    OppiError(.interrupted, "not paired", hints: ["nothing was sent to \(endpoint)"])
  }

  static func unprovenInvite(_ server: String) -> OppiError {
    OppiError(
      .identityMismatch,
      "not paired: \(server) has proved its identity, but this invite is not signed by it",
      hints: [
        "create a new invite on the server: oppi pair --json",
        "if the server was reinstalled, remove it first: oppi servers forget \(server)",
      ]
    )
  }

  static func changesServer(_ server: PairedServer, to place: ServerPlace) -> OppiError {
    OppiError(
      .identityMismatch,
      "not paired: \(server.name) is paired at \(text(server.place)), but the invite names "
        + text(place),
      hints: [
        "run it on a terminal to confirm the change",
        "or remove the server first: oppi servers forget \(server.name)",
      ]
    )
  }

  private static func text(_ place: ServerPlace) -> String {
    "\(place.endpoint) (\(place.certificatePin?.text ?? "no pin"))"
  }

  static func noTerminalToConfirm(_ server: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "not paired: no terminal found to confirm pairing with \(server)",
      hints: ["set $TERMINAL, or paste the invite: oppi pair -"]
    )
  }

  static func cannotStartTerminal(_ program: String, because cause: any Error) -> OppiError {
    OppiError(.badConfiguration, "not paired: cannot start \(program): \(cause)")
  }

  /// An error during pairing, where 401 and 429 concern the invite and not a token.
  init(pairing error: IntentError) {
    self.init(error)
    switch error {
    case .refused(401, _, let server):
      message = "\(server) rejected the invite: it was used, is older than 90 s, or was replaced"
      hints = ["create a new one on the server's machine: oppi pair --json"]
    case .refused(429, _, let server):
      message = "\(server) rejects all invites for 2 minutes after too many invalid ones"
      hints = ["wait two minutes, then create a new invite"]
    default: break
    }
  }

  static func serverNameTaken(_ name: String) -> OppiError {
    OppiError(.usage, "another server is named '\(name)'")
  }

  static func noSearchIndex(_ server: String) -> OppiError {
    OppiError(
      .serverError,
      "\(server) has no search index",
      hints: ["its log may say why; restart it to try again"]
    )
  }

  /// A server without a gate of its own.
  static func noDecisions(_ server: String) -> OppiError {
    OppiError(
      .serverError,
      "\(server) keeps no record of decisions: it does not hold tool calls for approval"
    )
  }

  /// A server without a search, as all are from before March 2026.
  static func cannotSearch(_ server: PairedServer) -> OppiError {
    // Session sockets came later.
    let age = server.dialect?.stream == .session ? "" : "; it is older than March 2026"
    return OppiError(
      .serverError,
      "\(server.name) does not support search\(age)",
      hints: ["update the server"]
    )
  }
}
