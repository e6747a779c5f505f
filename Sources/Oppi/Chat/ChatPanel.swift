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

/// The rows of a question and of its choices.
struct QuestionLayout: Sendable {
  struct Parts {
    var question: [StyledText]
    /// The rows of each choice.
    var choices: [[StyledText]]
    /// The choice that must be visible, if one is selected.
    var selected: Int?
  }

  private(set) var columns = 80
  var shown = ShownRows()
  /// Whether the selection changed, so that it must become visible.
  var selectsNew = false
  private var rows: [StyledText] = []
  /// The rows of each choice.
  private var choices: [Range<Int>] = []

  var visible: [StyledText] { Array(rows[shown.visible]) }

  /// Lays out the parts in `room` rows of a panel's size; without a row, nothing is shown.
  mutating func fit(_ parts: Parts, columns: Int, room: Int) {
    self.columns = columns
    rows = parts.question
    choices = parts.choices.map { choice in
      rows += choice
      return rows.count - choice.count..<rows.count
    }
    shown.fit(rows.count, room: room)
    if selectsNew, let selected = parts.selected { shown.reveal(choices[selected]) }
    selectsNew = false
  }

  /// Scrolls towards rows that were not yet shown; returns whether there are any in the direction.
  mutating func read(by step: Int) -> Bool {
    let isEnd = step > 0 ? shown.visible.upperBound == rows.count : shown.visible.lowerBound == 0
    guard !shown.isWhole, !isEnd else { return false }
    shown.scroll(by: step)
    return true
  }

  /// The visible row of a choice; `nil` if it is hidden.
  func place(ofChoice index: Int) -> Int? {
    guard choices.indices.contains(index),
      shown.visible.contains(choices[index].lowerBound)
    else { return nil }
    return choices[index].lowerBound - shown.visible.lowerBound
  }
}

/// The answers to the questions of a chat, until all parts of a question have one.
struct ChatAnswers: Sendable {
  /// The number of questions to remember that were answered here.
  private static let ownLimit = 100

  /// What asks a human on the session's server.
  private let requests: Dialect.Requests
  /// The answers to earlier parts, by question id and part id, and the question as it was shown.
  private var parts: [String: (source: UserQuestion, answers: [String: PartAnswer])] = [:]
  /// The last questions that were answered here.
  private var own: [String] = []

  init(for requests: Dialect.Requests) {
    self.requests = requests
  }

  /// The question, or its next part without an answer; `nil` if all parts have one.
  func next(of question: UserQuestion) -> ChatQuestion? {
    ChatQuestion(question, answered: answers(to: question), for: requests)
  }

  /// The answers to the parts of a question; what was answered of another one with its id is void.
  private func answers(to question: UserQuestion) -> [String: PartAnswer] {
    guard let known = parts[question.id], known.source.asksSame(as: question) else { return [:] }
    return known.answers
  }

  /// Records an answer; returns the answer to the whole question, or `nil` before its last part.
  mutating func take(_ answer: QuestionAnswer, to question: ChatQuestion) -> QuestionAnswer? {
    var whole = answer
    if let part = question.partID, let text = question.partAnswer(in: answer) {
      let answers = answers(to: question.source).merging([part: text]) { $1 }
      parts[question.id] = (question.source, answers)
      guard question.isLastPart else { return nil }
      whole = ChatQuestion.combined(answers, for: requests)
    }
    parts[question.id] = nil
    own = own.suffix(Self.ownLimit - 1) + [question.id]
    return whole
  }

  /// Whether a question was answered here, so that its end is no news.
  func isOwn(_ questionID: String) -> Bool { own.contains(questionID) }

  /// Forgets the parts of questions that are no longer pending.
  mutating func keep(_ pending: Set<String>) {
    parts = parts.filter { pending.contains($0.key) }
  }
}
