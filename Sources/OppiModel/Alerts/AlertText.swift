// SPDX-License-Identifier: MIT

package struct AlertText: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case approve(id: String)
    case deny(id: String)
    /// A choice of a question, with the server's own text.
    case answer(ApprovalPolicy.GlanceChoice, id: String)
    /// The refusal of a question.
    case cancel(id: String, isConfirmation: Bool)
    case open

    package var label: String {
      switch self {
      case .approve: "Approve"
      case .deny: "Deny"
      case .answer(let choice, _): choice.label
      case .cancel(_, let isConfirmation): isConfirmation ? "No" : "Cancel"
      case .open: "Open"
      }
    }

    /// What a press replies to the request; `nil` if it replies nothing.
    package var reply: RequestReply? {
      switch self {
      case .approve: .decision(.allow)
      case .deny: .decision(.deny)
      case .answer(let choice, _): .answer(choice.answer)
      case .cancel: .answer(.cancelled)
      case .open: nil
      }
    }
  }

  /// One line, safe to show.
  package var summary: String
  /// Several lines, safe to show.
  package var body: String
  package var actions: [Action]

  package init(_ summary: String, _ body: [String] = [], actions: [Action] = [.open]) {
    self.summary = summary
    self.body = body.filter { !$0.isEmpty }.joined(separator: "\n")
    self.actions = actions
  }
}
