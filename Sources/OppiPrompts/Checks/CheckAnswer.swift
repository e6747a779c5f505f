// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiWire

/// Checks the answer of a turn: its form by a schema, its result by a command.
struct CheckAnswer: Sendable {
  enum Verdict: Sendable {
    /// The answer, or only its JSON.
    case accepted(String)
    case rejected(Rejection)
  }

  struct Rejection: Sendable {
    enum Kind: Sendable {
      case schema
      case command
    }

    let kind: Kind
    /// One line.
    let reason: String
    /// The message to the agent.
    let feedback: String
    /// The last lines of the command's output.
    var output: [String] = []
  }

  /// In bytes, of each stream of the command; a test may print much.
  private static let outputLimit = 64 << 20
  /// The end of the output that is sent to the agent, in characters.
  private static let feedbackLimit = 16 << 10
  /// How many lines of the output the error shows.
  private static let shownLines = 5
  private static let timeLimit = Duration.seconds(1800)

  let checks: AnswerChecks
  let context: Services

  /// Checks an answer, the schema first; the answer is the standard input of the command, whose
  /// time limit is 30 minutes at most.
  ///
  /// - Throws: `ShellCommand.Failure` if the command does not run to its end.
  func verdict(
    on answer: String,
    within limit: Duration?
  ) async throws(ShellCommand.Failure) -> Verdict {
    var answer = answer
    if let schema = checks.schema {
      guard let json = JSONInAnswer(in: answer) else {
        return .rejected(Self.mismatch("it is not a single JSON value", schema))
      }
      if let words = schema.mismatch(of: json.value) {
        return .rejected(Self.mismatch(words, schema))
      }
      answer = json.text
    }
    guard let command = checks.command else { return .accepted(answer) }
    let outcome = try await ShellCommand(command, input: answer).run(
      by: context.programs,
      environment: context.environment,
      outputLimit: Self.outputLimit,
      on: context.loop,
      within: min(limit ?? Self.timeLimit, Self.timeLimit)
    )
    guard outcome.status != 0 else { return .accepted(answer) }
    return .rejected(Self.failure(outcome))
  }

  private static func mismatch(_ words: String, _ schema: AnswerSchema) -> Rejection {
    Rejection(
      kind: .schema,
      reason: "the answer does not match the schema: \(words)",
      feedback: "Your answer does not match the schema: \(words). \(schema.instruction)"
    )
  }

  private static func failure(_ outcome: ShellCommand.Outcome) -> Rejection {
    let end = String(outcome.text.suffix(feedbackLimit)).safeBlock(limit: feedbackLimit)
    return Rejection(
      kind: .command,
      reason: "not verified: the command exited with status \(outcome.status)",
      feedback: "The check of your work exited with status \(outcome.status). "
        + "Its output ends with:\n\n\(end)\n\nPlease fix this.",
      output: end.split(separator: "\n").suffix(shownLines).map(String.init)
    )
  }
}

extension OppiError {
  /// An answer that did not pass its check.
  init(_ rejection: CheckAnswer.Rejection, sessionID: String) {
    self.init(
      rejection.kind == .schema ? .badInput : .turnFailed,
      rejection.reason,
      hints: [
        "read the answer with: oppi show \(sessionID.asOperand)",
        "continue the session with: oppi chat --session=\(sessionID)",
      ],
      details: ["sessionId": .string(sessionID), "state": "failed"]
    )
    output = rejection.output
    if rejection.kind == .command { details["reason"] = "not-verified" }
  }

  /// A wait that ended while the answer was checked.
  init(timeUpInCheckOf sessionID: String) {
    self.init(
      .waitTimedOut,
      "--timeout elapsed before the --verify command ended",
      hints: ["read the answer with: oppi show \(sessionID.asOperand)"],
      details: ["sessionId": .string(sessionID)]
    )
  }
}

extension ShellCommand.Failure: ExplainedError {
  var explanation: OppiError {
    switch cause {
    case .cannotStart(let cause):
      OppiError(.checkFailed, "cannot run \(ShellCommand.shell): \(cause)")
    case .timedOut:
      OppiError(.checkFailed, "the command did not end within \(limit.argumentText ?? "its limit")")
    case .tooMuchOutput: OppiError(.checkFailed, "the command has too much output")
    case .cancelled: OppiError(.interrupted, "interrupted")
    }
  }
}
