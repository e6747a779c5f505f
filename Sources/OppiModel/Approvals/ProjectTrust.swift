// SPDX-License-Identifier: MIT

package import OppiWire

/// Trust in a project: before a session starts in a folder without a decision, today's servers ask
/// whether to load its settings and extensions, and allow that unless the answer is a refusal.
extension UserQuestion {
  private static let distrust = "Don't trust (remember)"
  private static let trustChoices: Set = ["Trust (remember)", "Trust this session", distrust]

  /// Whether it asks for trust: it has exactly the choices of the server's own question, in any order.
  package var asksForTrust: Bool {
    kind == .select && isWhole && options.count == Self.trustChoices.count
      && options.allSatisfy(\.isPlain) && Set(options.map(\.label)) == Self.trustChoices
  }

  /// The answer that refuses what it asks for; a cancelled question for trust is allowed.
  package var refusal: Consent.Side {
    guard !asksForTrust else {
      return Consent.Side(label: Self.distrust, answer: .value(Self.distrust))
    }
    return consent?.no ?? Consent.Side(label: "Cancel", answer: .cancelled)
  }

  /// Whether the answer refuses what the question asks for, which is possible without reading it.
  package func isRefused(by answer: QuestionAnswer) -> Bool {
    answer == refusal.answer || answer.isRefusal && !asksForTrust
  }
}

extension HumanRequest {
  private var asksForTrust: Bool { question?.asksForTrust ?? false }

  /// A sentence about what happens without an answer; `nil` if that denies or cancels the request.
  package var allowanceNote: String? {
    asksForTrust ? "the server allows it if it is cancelled or not answered" : nil
  }

  /// What happens to it at the end of its time.
  package var expiry: String { asksForTrust ? "auto-allowed" : kind.expiry }
}

extension RequestKind {
  /// What happens to a request of the kind, of which no more is known, at the end of its time.
  package var expiry: String { self == .permission ? "auto-denied" : "expires" }
}
