// SPDX-License-Identifier: MIT

/// The exit statuses, from sysexits(3) where possible.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case turnFailed = 1
  case waitingForHuman = 3
  case turnStopped = 4
  case alreadyDecided = 5
  case deliveryUnknown = 6
  case approvalWaits = 33
  case usage = 64
  case badInput = 65
  case notFound = 66
  case unavailable = 69
  case bug = 70
  case cannotCreate = 73
  case ioFailed = 74
  case tryAgain = 75
  case protocolBroken = 76
  case refused = 77
  case configuration = 78
  case timeLimit = 124
  case interrupted = 130
  case terminated = 143

  /// `sessions --exit-status` found nothing pending.
  package static let nothingPending = ExitStatus.turnFailed

  /// The description for help.
  package var meaning: String {
    switch self {
    case .success: "Success: done, accepted or queued; see state in --json"
    case .turnFailed:
      "The prompt was refused, its turn failed or was empty, a stop failed, or no session is pending"
    case .waitingForHuman: "The agent is waiting for an approval or an answer"
    case .turnStopped: "The turn was stopped"
    case .alreadyDecided: "The request is no longer pending, or the prompt expired"
    case .deliveryUnknown: "Delivery unknown: the prompt may have run; it is not resent"
    case .approvalWaits: "status --format i3blocks only: an approval is pending"
    case .usage: "Invalid command line or ambiguous name"
    case .badInput: "Invalid input"
    case .notFound: "No such file, workspace, session, request, server or setting"
    case .unavailable: "The server is unreachable or returned an internal error"
    case .bug: "A bug in oppi; please report it"
    case .cannotCreate: "Cannot create a file"
    case .ioFailed: "Input/output error"
    case .tryAgain: "Temporary failure: timeout, usage or rate limit, no room or busy; retry"
    case .protocolBroken: "The server violated the protocol"
    case .refused: "Refused: not authorized, or the certificate does not match its pin"
    case .configuration: "Not paired, or invalid configuration"
    case .timeLimit: "--timeout elapsed while waiting"
    case .interrupted: "Interrupted (SIGINT)"
    case .terminated: "Terminated (SIGTERM)"
    }
  }
}
