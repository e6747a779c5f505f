// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A panel in place of the composer, which keeps the draft.
enum ChatPanel: Sendable {
  case approval(ApprovalPanel)
  case question(QuestionPanel)

  /// The panel for the open request or question; keeps the last panel if it is still the right one.
  static func of(_ state: ChatState, after last: ChatPanel?) -> ChatPanel? {
    if let request = state.approval {
      if case .approval(let panel)? = last, panel.request == request { return last }
      return .approval(ApprovalPanel(request))
    }
    guard let question = state.question else { return nil }
    let new = ChatPanel.question(QuestionPanel(question))
    guard case .question(let panel)? = last, let last else { return new }
    if panel.question == question { return last }
    return new.isNextPart(of: last) ? .question(panel.next(question)) : new
  }

  /// What it is about.
  var request: HumanRequest {
    switch self {
    case .approval(let panel): .permission(panel.request)
    case .question(let panel): .question(panel.question.source)
    }
  }

  /// Whether both are about the same request, or the same part of a question.
  func isSame(as other: ChatPanel?) -> Bool {
    switch (self, other) {
    case (.approval(let first), .approval(let second)?): first.request == second.request
    case (.question(let first), .question(let second)?): first.question == second.question
    default: false
    }
  }

  /// Whether both are about parts of one question, and the parts differ.
  func isNextPart(of other: ChatPanel) -> Bool {
    guard case .question(let next) = self, case .question(let last) = other else { return false }
    return next.question.id == last.question.id && !request.isChange(of: other.request)
      && next.question != last.question
  }

  /// The panel as new, after the user returns to it.
  var shownAgain: Self {
    switch self {
    case .approval(let panel):
      .approval(ApprovalPanel(panel.request, offering: panel.offered))
    case .question(let panel): .question(panel.shownAgain)
    }
  }

  /// The text of an unsent answer.
  var text: String {
    if case .question(let panel) = self, panel.question.prefill != panel.answer.text {
      return panel.answer.text
    }
    return ""
  }

  mutating func fit(columns: Int, rows: Int) {
    switch self {
    case .approval(var panel):
      panel.fit(columns: columns, rows: rows)
      self = .approval(panel)
    case .question(var panel):
      panel.fit(columns: columns, rows: rows)
      self = .question(panel)
    }
  }

  /// Why keys do not go to the panel; `nil` if they do.
  var closedNotice: String? {
    switch self {
    case .approval(let panel): panel.closedNotice
    case .question(let panel): panel.closedNotice
    }
  }

  mutating func wait(at now: Duration) {
    switch self {
    case .approval(var panel):
      panel.wait(at: now)
      self = .approval(panel)
    case .question(var panel):
      panel.wait(at: now)
      self = .question(panel)
    }
  }

  /// Records that the view was on the screen.
  mutating func wasShown(at now: Duration) {
    switch self {
    case .approval(var panel):
      panel.wasShown(at: now)
      self = .approval(panel)
    case .question(var panel):
      panel.wasShown(at: now)
      self = .question(panel)
    }
  }
}
