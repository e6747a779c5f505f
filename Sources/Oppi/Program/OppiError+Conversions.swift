// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

extension OppiError {
  /// Converts any error of the lower layers.
  init(_ error: any Error) {
    switch error {
    case let error as OppiError: self = error
    case let error as UsageError: self.init(error)
    case let error as IntentError: self.init(error)
    case let error as FileError: self.init(error)
    case let error as AskFailure: self.init(error)
    case let error as MenuError: self.init(error)
    case let error as TerminalWindow.Failure: self.init(error)
    case let error as SchedulerError: self.init(error)
    case let error as ShellCommand.Failure: self.init(error)
    case let error as InviteError: self.init(error)
    case let error as CryptoError: self.init(error)
    case let error as SystemError: self.init(error)
    case let error as OutputStream.Failure: self.init(error)
    case let error as Editor.Failure: self.init(error)
    case is CancellationError, EventLoop.WaitError.cancelled:
      self.init(.interrupted, "interrupted")
    case EventLoop.WaitError.timedOut: self.init(.timedOut, "timed out")
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  init(_ error: UsageError) {
    self.init(.usage, error.message, hints: error.hint.map { [$0] } ?? [])
  }
}

extension OppiError {
  /// The error of a command line; a word that is the name of a paired server gets a hint.
  init(_ error: any Error, pairedWith servers: @autoclosure () -> [PairedServer]?) {
    self.init(error)
    guard let error = error as? UsageError, let noun = error.commandPath.first else { return }
    switch error.kind {
    case .unknownCommand(let word), .unexpectedArgument(let word):
      guard let server = servers()?.first(where: { $0.name.lowercased() == word.lowercased() })
      else { return }
      let name = ShellWords.quoted(server.name)
      let path = error.commandPath.joined(separator: " ")
      hints = [
        noun == "servers"
          ? "show a server with: oppi servers show \(name)"
          : "choose a server with: oppi \(path) --server \(name)"
      ]
    default: return
    }
  }
}

// MARK: - Credentials and invites

extension OppiError {
  init(_ error: CredentialError, server: String) {
    switch error {
    case .missing:
      self.init(.noToken, "no token for \(server)", hints: ["pair again: oppi pair -"])
    case .file(let cause): self.init(cause)
    case .commandFailed(let status):
      self.init(.noToken, "the token command of \(server) exited with status \(status)")
    case .command(.timedOut):
      self.init(.noToken, "the token command of \(server) timed out after 2 s")
    case .command(.cannotStart(let cause)):
      self.init(.noToken, "cannot start the token command of \(server): \(cause)")
    case .command(.tooMuchOutput):
      self.init(.noToken, "the output of the token command of \(server) is too long")
    case .command(.cancelled): self.init(.interrupted, "interrupted")
    case .invalid(let source):
      self.init(.noToken, "invalid token for \(server) in \(source)")
    }
  }

  init(_ error: CryptoError) {
    switch error {
    case .unavailable:
      self.init(
        .tlsUnavailable,
        "cannot check signatures: OpenSSL's libcrypto is not installed",
        hints: ["install it (Debian: apt install libssl3)"]
      )
    case .failed: self.init(.bug, "OpenSSL could not create a key or a signature")
    }
  }

  init(_ error: InviteError) {
    let fresh = ["create a new one on the server's machine: oppi pair --json"]
    switch error {
    case .notAnInvite: self.init(.badInput, "not an invite", hints: fresh)
    case .unsupportedVersion:
      self.init(.badInput, "the version of the invite is not supported", hints: fresh)
    case .malformed(let field):
      self.init(.badInput, "the invite has an invalid '\(field)'", hints: fresh)
    case .noToken: self.init(.badInput, "the invite has no token", hints: fresh)
    case .badSignature:
      self.init(
        .identityMismatch,
        "the invite is not signed by the server that it names",
        hints: fresh
      )
    }
  }
}
