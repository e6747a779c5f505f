// SPDX-License-Identifier: MIT

package import OppiWire

/// What a request needs of a human, on every surface.
package enum RequestNeed: String, Sendable, CaseIterable {
  /// Approval or denial: a tool call, a confirm, and a select with exactly one choice for each.
  case approval
  /// A choice or a text.
  case answer

  /// The name of such a request, which is pending until it is decided.
  package var noun: String { self == .approval ? "approval" : "question" }

  /// The state of a session, a turn or a call that waits for it.
  package var state: String {
    "\(SessionPhase.waiting.word) for \(self == .approval ? "approval" : "an answer")"
  }

  /// The state at the start of a line.
  package var title: String {
    SessionPhase.waiting.title + state.dropFirst(SessionPhase.waiting.word.count)
  }
}

extension HumanRequest {
  package var needs: RequestNeed {
    switch self {
    case .permission: .approval
    case .question(let question): question.consent == nil ? .answer : .approval
    }
  }

  /// The reply that refuses it, as every surface offers it.
  package var offeredRefusal: ApprovalPolicy.Offer {
    guard let question else { return ApprovalPolicy.Offer("Deny", refusal) }
    return ApprovalPolicy.Offer(question.refusal.label, refusal)
  }

  /// The reply that refuses it.
  package var refusal: RequestReply {
    guard let question else { return .decision(.deny) }
    return .answer(question.refusal.answer)
  }
}

extension UserQuestion {
  /// The two answers of a question that asks for approval, with their labels.
  package struct Consent: Sendable, Equatable {
    package struct Side: Sendable, Equatable {
      package var label: String
      package var answer: QuestionAnswer
    }

    package var yes: Side
    package var no: Side
  }

  /// How the question is approved and denied; `nil` if it needs another answer.
  ///
  /// Gates ask with a confirm, or with a select of two choices: one allows the call, and the other
  /// does not. A choice with a note says more than its word, and a select that is not whole may have
  /// other choices.
  package var consent: Consent? {
    switch kind {
    case .confirm:
      return Consent(
        yes: .init(label: "Yes", answer: .confirmed(true)),
        no: .init(label: "No", answer: .cancelled)
      )
    case .select:
      guard isWhole, options.count == 2, options.allSatisfy(\.isPlain) else { return nil }
      let words = options.map(\.label)
      guard let yes = words.first(where: ConsentWords.allow),
        let no = words.first(where: ConsentWords.refuse)
      else { return nil }
      return Consent(
        yes: .init(label: yes, answer: .value(yes)),
        no: .init(label: no, answer: .value(no))
      )
    case .permission, .ask, .input, .editor, .other: return nil
    }
  }
}

extension UserQuestion.Option {
  /// Whether the label is all of it.
  var isPlain: Bool { value.utf8.elementsEqual(label.utf8) && (note ?? "").isEmpty }
}

/// The whole labels with which gates offer approval and denial, in any case.
///
/// A label that allows more than one call, such as 'Always', is none of them.
private enum ConsentWords {
  private static let allowing: Set = [
    "yes", "y", "ok", "allow", "allow once", "yes, allow", "approve", "approve once", "accept",
    "confirm", "continue", "proceed", "run", "run once", "execute",
  ]
  private static let refusing: Set = [
    "no", "n", "deny", "block", "reject", "cancel", "no, cancel", "no, block", "decline", "refuse",
    "disallow", "don't allow", "abort",
  ]

  static func allow(_ label: String) -> Bool { allowing.contains(label.plainLowercased) }

  static func refuse(_ label: String) -> Bool { refusing.contains(label.plainLowercased) }
}

extension String {
  /// In lower case; empty if it has other characters than plain ASCII.
  fileprivate var plainLowercased: String { isPlainASCII ? lowercased() : "" }
}
