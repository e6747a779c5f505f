// SPDX-License-Identifier: MIT

package import OppiClient
import OppiModel
import OppiText
import OppiWire

extension OppiError {
  private static func about(
    _ id: String,
    _ code: Code,
    _ message: String,
    _ hints: [String]
  ) -> OppiError {
    OppiError(code, message, hints: hints, details: ["requestId": .string(id)])
  }

  package static func requestGone(id: String) -> OppiError {
    let message = "request \(id.safeLine(limit: 40)) is no longer pending"
    return about(id, .requestGone, message, [pending, decisions])
  }

  /// No request has the name, which is not a whole id of an earlier request either.
  static func noRequest(named name: String) -> OppiError {
    OppiError(
      .noSuchRequest,
      "no request '\(name.safeLine(limit: 60))'",
      hints: [pending, decisions]
    )
  }

  /// Only the ids of requests start with a name that is too short for one.
  static func shortRequestName(_ name: String) -> OppiError {
    OppiError(
      .usage,
      "no session '\(name.safeLine())', and a request needs at least the first "
        + "\(RequestName.leastLength) characters of its id",
      hints: [pending]
    )
  }

  /// Another request is pending under the id of the one that was shown.
  static func requestChanged(id: String) -> OppiError {
    let name = id.safeLine(limit: 40)
    let message = "request \(name) has changed since it was shown; nothing was sent"
    return about(id, .requestGone, message, [showing(id)])
  }

  /// The start of an id matches another request than when it was shown.
  static func otherRequest(named name: String, _ id: String) -> OppiError {
    let name = name.safeLine(limit: 60)
    let message = "'\(name)' now matches another request than the one that was shown"
    return about(id, .requestGone, "\(message); nothing was sent", [showing(id)])
  }

  /// The prefix matches several requests; each candidate is a line that describes one.
  static func ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
    -> OppiError
  {
    OppiError(
      .ambiguousName,
      "'\(name)' is ambiguous: it matches several requests",
      hints: candidates + (isOnSeveralServers ? ["specify one as SERVER/ID"] : [])
    )
  }

  /// The decision was sent; its result is unknown.
  static func decisionUnknown(id: String, _ decision: PermissionDecision) -> OppiError {
    let message = "could not confirm that request \(id) was \(decision.past)"
    return about(id, .outcomeUnknown, message, [pending, decisions])
  }

  /// The answer was sent; its result is unknown.
  static func answerUnknown(id: String) -> OppiError {
    let name = id.safeLine(limit: 40)
    let message = "could not confirm that question \(name) was answered; not sent again"
    return about(id, .outcomeUnknown, message, [pending])
  }

  /// An approval does not answer the question.
  static func needsAnswer(_ question: UserQuestion) -> OppiError {
    let name = question.id.asOperand
    return about(
      question.id,
      .badInput,
      "request \(question.id) is a question of kind \(question.kind.word); it cannot be approved",
      ["answer with: oppi answer \(name) VALUE…"]
        + choices(OptionNames(question.options).shown) + [question.refusalHint]
    )
  }

  /// An answer does not decide the tool call.
  static func needsDecision(id: String) -> OppiError {
    about(id, .badInput, "request \(id) is a tool call; it takes no answer", [deciding(id)])
  }

  /// A dialog has no approval for more than this time.
  static func hasNoScope(id: String) -> OppiError {
    let message = "is a dialog; --scope session and --scope global do not apply to it"
    return about(id, .badInput, "request \(id) \(message)", [showing(id)])
  }

  private static let pending = "list pending approvals with: oppi approvals"
  private static let decisions = "list past decisions with: oppi approvals log"
}

/// Answers to an agent's question that cannot be sent.
extension OppiError {
  static let severalAnswers = OppiError(.badInput, "the question takes one answer")
  static let tooManyAnswers = OppiError(.badInput, "more answers than the question has parts")

  /// Fewer answers than the question has parts.
  static func tooFewAnswers(to question: UserQuestion, _ count: Int) -> OppiError {
    let parts = question.parts.enumerated().prefix(20).map { index, part in
      "part \(index + 1): \(part.text.safeLine(limit: 80))"
    }
    let given = count == 1 ? "1 answer" : "\(count) answers"
    return OppiError(
      .badInput,
      "the question has \(question.parts.count) parts, and you gave \(given); nothing was sent",
      hints: parts + ["give one VALUE for each part, in order; '' skips a part"]
    )
  }

  /// A word that answers nothing; the options are safe to show.
  static func noChoice(
    _ word: String,
    of id: String,
    among options: [String],
    because problem: String = "is not a choice"
  ) -> OppiError {
    let message = "'\(word.safeLine(limit: 60))' \(problem)"
    return OppiError(.badInput, message, hints: choices(options) + [showing(id)])
  }

  /// A question that the server allows if it is cancelled.
  static func cancellationAllows(_ question: UserQuestion) -> OppiError {
    OppiError(
      .badInput,
      "question \(question.id) is not cancelled, because the server would allow it",
      hints: ["deny it with: oppi deny \(question.id.asOperand)", showing(question.id)]
    )
  }

  private static func choices(_ options: [String]) -> [String] {
    options.isEmpty ? [] : ["choices: \(options.prefix(20).joined(separator: ", "))"]
  }

  static func showing(_ id: String) -> String {
    "show the request with: oppi approvals show \(id.asOperand)"
  }

  fileprivate static func deciding(_ id: String) -> String {
    "decide with: oppi approve \(id.asOperand), or: oppi deny \(id.asOperand)"
  }
}

extension HumanRequest {
  /// The commands that reply to it, for a hint.
  var replyHint: String {
    guard isWhole else { return "deny with: oppi deny \(id.asOperand)" }
    guard let question, needs == .answer else { return OppiError.deciding(id) }
    return "answer with: oppi answer \(id.asOperand) VALUE…, or \(question.refusalHint)"
  }
}

extension UserQuestion {
  /// The command that refuses it; a question that is allowed when it is cancelled is denied.
  fileprivate var refusalHint: String {
    "\(refusal.answer == .cancelled ? "cancel" : "deny") with: oppi deny \(id.asOperand)"
  }
}
