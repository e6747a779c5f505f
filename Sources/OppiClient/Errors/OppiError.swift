// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
package import OppiText
package import OppiWire

/// An error of a command: one line, hints, and an exit status.
package struct OppiError: Error, Equatable {
  /// The kind of error, for scripts.
  ///
  /// Codes are never renamed.
  package enum Code: String, Sendable, CaseIterable {
    case usage
    case badInput = "bad-input"
    case noInput = "no-input"
    case ambiguousName = "ambiguous-name"
    case noSuchWorkspace = "no-such-workspace"
    case noSuchModel = "no-such-model"
    case noSuchSession = "no-such-session"
    case noSuchServer = "no-such-server"
    case noSuchRequest = "no-such-request"
    case noSuchSetting = "no-such-setting"
    case noSuchShortcut = "no-such-shortcut"
    case noSuchPrompt = "no-such-prompt"
    case noSuchSchedule = "no-such-schedule"
    case noScheduler = "no-scheduler"
    case noLaunchTarget = "no-launch-target"
    case notSet = "not-set"
    case serverUnreachable = "server-unreachable"
    case serverError = "server-error"
    case timedOut = "timed-out"
    case tooManyRequests = "too-many-requests"
    case noRoom = "no-room"
    case sessionBusy = "session-busy"
    case agentNotStarted = "agent-not-started"
    case unauthorized
    case pinMismatch = "pin-mismatch"
    case certificateRejected = "certificate-rejected"
    case identityMismatch = "identity-mismatch"
    case tlsUnavailable = "tls-unavailable"
    case protocolBroken = "protocol-broken"
    case promptRefused = "prompt-refused"
    case turnFailed = "turn-failed"
    case turnStopped = "turn-stopped"
    case limited
    case overBudget = "over-budget"
    case checkFailed = "check-failed"
    case waitingForHuman = "waiting-for-human"
    case waitTimedOut = "wait-timed-out"
    case requestGone = "request-gone"
    case expired
    case stillQueued = "still-queued"
    case outcomeUnknown = "outcome-unknown"
    case deliveryUnknown = "delivery-unknown"
    case notPaired = "not-paired"
    case noToken = "no-token"
    case badConfiguration = "bad-configuration"
    case unsafeMode = "unsafe-mode"
    case cannotCreate = "cannot-create"
    case ioFailed = "io-failed"
    case locked
    case interrupted
    case terminated
    case bug

    package var status: ExitStatus {
      switch self {
      case .usage, .ambiguousName: .usage
      case .badInput: .badInput
      case .noInput, .noSuchWorkspace, .noSuchModel, .noSuchSession, .noSuchServer, .noSuchPrompt,
        .noSuchRequest, .noSuchSetting, .noSuchShortcut, .noSuchSchedule, .noLaunchTarget, .notSet:
        .notFound
      case .serverUnreachable, .serverError, .tlsUnavailable, .agentNotStarted, .noScheduler,
        .checkFailed:
        .unavailable
      case .timedOut, .tooManyRequests, .noRoom, .sessionBusy, .limited, .overBudget, .locked,
        .stillQueued:
        .tryAgain
      case .unauthorized, .pinMismatch, .certificateRejected, .identityMismatch: .refused
      case .protocolBroken: .protocolBroken
      case .promptRefused, .turnFailed: .turnFailed
      case .turnStopped: .turnStopped
      case .waitingForHuman: .waitingForHuman
      case .requestGone, .expired: .alreadyDecided
      case .waitTimedOut: .timeLimit
      case .deliveryUnknown, .outcomeUnknown: .deliveryUnknown
      case .notPaired, .noToken, .badConfiguration, .unsafeMode: .configuration
      case .cannotCreate: .cannotCreate
      case .ioFailed: .ioFailed
      case .interrupted: .interrupted
      case .terminated: .terminated
      case .bug: .bug
      }
    }
  }

  package var code: Code
  /// One line in lower case, without a full stop, safe to show.
  package var message: String
  /// The last lines of a program's output that explain the error.
  package var output: [String] = []
  /// Suggested fixes, one sentence each.
  package var hints: [String]
  /// Further members of the JSON error object.
  package var details: JSONObject
  /// What callers act on; `nil` for an error that is only told.
  package var reason: Reason?

  package init(
    _ code: Code,
    _ message: String,
    hints: [String] = [],
    details: JSONObject = [:]
  ) {
    self.code = code
    self.message = message
    self.hints = hints
    self.details = details
  }

  /// Whether to print the error: an interruption is printed only if it has a hint, for example
  /// about an agent that continues.
  package var isWorthReporting: Bool { code != .interrupted || !hints.isEmpty }

  /// The printed lines: the error, then the output and the hints.
  var lines: [String] {
    ["oppi: \(message.safeLine(limit: .max))"]
      + output.map { "  | \($0.safeLine(limit: 200))" }
      + hints.map { "  hint: \($0.safeLine(limit: .max))" }
  }

  /// The one-line object of `--json`.
  package var json: JSONValue {
    var error = details
    error["code"] = .string(code.rawValue)
    error["message"] = .string(message)
    if !output.isEmpty { error["output"] = .string(output.joined(separator: "\n")) }
    error["hints"] = .array(hints.map(JSONValue.string))
    error["status"] = .integer(Int64(code.status.rawValue))
    return ["error": .object(error)]
  }
}

// MARK: - Errors of lower layers

/// An error with a text for people.
package protocol ExplainedError: Error {
  var explanation: OppiError { get }
}

extension OppiError: ExplainedError {
  package var explanation: OppiError { self }

  /// An error of any layer; one that should not get here is a bug.
  package init(_ error: any Error) {
    self = (error as? any ExplainedError)?.explanation ?? .unexpected(error)
  }
}

extension OppiError {
  /// A bug, with the error's text if its type declares one.
  private static func unexpected(_ error: any Error) -> OppiError {
    let text = (error as? any CustomStringConvertible).map { ": \($0.description)" } ?? ""
    return OppiError(.bug, "unexpected error\(text)".safeLine())
  }
}

extension UsageError: ExplainedError {
  var explanation: OppiError { OppiError(.usage, message, hints: hint.map { [$0] } ?? []) }
}

extension CancellationError: ExplainedError {
  package var explanation: OppiError { OppiError(.interrupted, "interrupted") }
}

extension EventLoop.WaitError: ExplainedError {
  var explanation: OppiError {
    switch self {
    case .cancelled: OppiError(.interrupted, "interrupted")
    case .timedOut: OppiError(.timedOut, "timed out")
    }
  }
}

extension OppiError {
  /// The error of a command line; a word that is the name of a paired server gets a hint.
  package init(_ error: any Error, pairedWith servers: @autoclosure () -> [PairedServer]?) {
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

extension OppiError {
  /// What was done despite an error.
  package struct Remark: Sendable {
    package var hint: String
    package var details: JSONObject

    package init(hint: String, details: JSONObject) {
      (self.hint, self.details) = (hint, details)
    }
  }

  /// The error with a remark about what was done despite it.
  func adding(_ remark: Remark?) -> OppiError {
    guard let remark else { return self }
    var error = self
    error.hints.append(remark.hint)
    error.details = details.adding(remark.details)
    return error
  }
}
