// SPDX-License-Identifier: MIT

/// How the process ends; sysexits(3) where that has a number for it.
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

  /// What the status means, for help.
  var meaning: String {
    switch self {
    case .success: "Done, accepted, queued or kept in the outbox; state in --json says which"
    case .turnFailed: "The agent refused the prompt, or its turn failed or came back empty"
    case .waitingForHuman: "The agent waits for a human"
    case .turnStopped: "The turn was stopped by someone"
    case .alreadyDecided: "The request was decided, expired or gone before; a prompt was too late"
    case .deliveryUnknown: "Delivery unknown: the prompt may have run; it was not sent again"
    case .approvalWaits: "An approval waits; i3blocks shows it as urgent"
    case .usage: "Bad command line or ambiguous name"
    case .badInput: "Input that cannot be used"
    case .notFound: "No such file, workspace, session or server, or a setting that is not set"
    case .unavailable: "The server cannot be reached or answered with an error of its own"
    case .bug: "A bug in oppi; please report it"
    case .cannotCreate: "A file cannot be created"
    case .ioFailed: "Reading or writing failed"
    case .tryAgain: "Timed out, too many requests, no room or busy: trying again may work"
    case .protocolBroken: "The server broke the protocol"
    case .refused: "Refused: not authorised, or the certificate is not the pinned one"
    case .configuration: "Not paired, or a file of the configuration is wrong"
    case .timeLimit: "The limit of --timeout passed while waiting"
    case .interrupted: "Interrupted (SIGINT)"
    case .terminated: "Terminated (SIGTERM)"
    }
  }
}
