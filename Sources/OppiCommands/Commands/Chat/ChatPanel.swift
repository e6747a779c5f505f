// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What takes the composer's place in a chat, while the message that is being written waits.
enum ChatPanel: Sendable {
  case approval(ApprovalPanel)
  case question(QuestionPanel)

  /// The panel for what is open in a conversation: the one so far where that is still what is asked.
  static func of(_ state: ChatState, after last: ChatPanel?, at now: Duration) -> ChatPanel? {
    if let request = state.approval {
      if case .approval(let panel)? = last, panel.request == request { return last }
      return .approval(ApprovalPanel(request, at: now))
    }
    guard let question = state.question else { return nil }
    guard case .question(let panel)? = last, panel.question.id == question.id else {
      return .question(QuestionPanel(question, at: now))
    }
    return panel.question == question ? last : .question(panel.next(question, at: now))
  }

  /// Whether both are about the same request, or part of a question.
  func isSame(as other: ChatPanel?) -> Bool {
    switch (self, other) {
    case (.approval(let first), .approval(let second)?): first.request == second.request
    case (.question(let first), .question(let second)?): first.question == second.question
    default: false
    }
  }

  /// The same for whoever comes back to it.
  func shownAgain(at now: Duration) -> Self {
    switch self {
    case .approval(let panel): .approval(ApprovalPanel(panel.request, at: now))
    case .question(let panel): .question(panel.shownAgain(at: now))
    }
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

  /// Whether keys are for the panel, and no longer for the message.
  var listens: Bool {
    switch self {
    case .approval(let panel): panel.listens
    case .question(let panel): panel.listens
    }
  }

  /// Takes it that time has passed.
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

  /// Takes it that the picture has been on the screen.
  mutating func wasShown() {
    guard case .approval(var panel) = self else { return }
    panel.wasShown()
    self = .approval(panel)
  }
}
