// SPDX-License-Identifier: MIT

/// The rules for answers to questions, which are those for decisions: whatever lets the agent
/// continue needs the whole text, and a surface on which the user has seen all of it or names it.
extension ApprovalPolicy {
  /// Returns why an answer may not be sent from any surface; `nil` if it may.
  package static func obstacle(
    to answer: QuestionAnswer,
    _ question: UserQuestion
  ) -> Obstacle? {
    question.isRefused(by: answer) || question.isWhole ? nil : .incomplete
  }

  /// Returns why an answer is not possible on a surface; `nil` if it is.
  ///
  /// The rows of a menu are those of the text, and one for each choice but the first.
  package static func obstacle(
    to answer: QuestionAnswer,
    _ question: UserQuestion,
    on surface: Surface
  ) -> Obstacle? {
    guard !question.isRefused(by: answer) else { return nil }
    if let obstacle = obstacle(to: answer, question) { return obstacle }
    switch surface {
    case .command: return nil
    case .panel(let isWholeShown): return isWholeShown ? nil : .notAllShown
    case .menu(let listedRisk, let rows, let visibleRows):
      guard let visibleRows, rows + otherMenuRows <= visibleRows else { return .notShownInFull }
      return obstacle(atAGlanceTo: question, answer, listedAs: listedRisk)
    case .notification(let listedRisk):
      return obstacle(atAGlanceTo: question, answer, listedAs: listedRisk)
    }
  }

  private static func obstacle(
    atAGlanceTo question: UserQuestion,
    _ answer: QuestionAnswer,
    listedAs listedRisk: Risk
  ) -> Obstacle? {
    guard choices(atAGlanceOf: question).contains(where: { $0.answer == answer }) else {
      return .notShownInFull
    }
    return listedRisk.isHigh || question.risk.isHigh ? .highRisk : nil
  }
}

// MARK: - At a glance

extension ApprovalPolicy {
  /// A choice as a button or a row of a menu.
  package struct GlanceChoice: Sendable, Equatable {
    /// The server's own text, which is plain ASCII; `Yes` for a confirmation.
    package var label: String
    package var answer: QuestionAnswer
  }

  private static let choiceLimit = 4
  private static let choiceCharacterLimit = 40
  /// The labels of the program's own buttons.
  private static let ownLabels: Set = ["open", "deny", "cancel", "approve"]

  /// The whole text of a question if it can be answered at a glance; `nil` otherwise.
  ///
  /// It is plain ASCII, as a call is, after one pictogram at its start: a gate begins its title
  /// with a warning sign, which is in front of everything that an agent wrote.
  package static func glance(at question: UserQuestion) -> [String]? {
    guard question.hiddenCount == 0, (question.extensionName ?? "").isPlainASCII,
      let lines = shortLines(of: .question(question)),
      lines[0].withoutSign.isPlainASCII, lines.dropFirst().allSatisfy(\.isPlainASCII)
    else { return nil }
    return lines
  }

  /// The choices of a question that can be read at a glance; only 'No' if its text or one of them
  /// cannot, and none if it needs more than one choice.
  package static func choices(atAGlanceOf question: UserQuestion) -> [GlanceChoice] {
    guard glance(at: question) != nil else {
      return question.no.map { [GlanceChoice(label: $0, answer: .value($0))] } ?? []
    }
    switch question.kind {
    case .confirm: return [GlanceChoice(label: "Yes", answer: .confirmed(true))]
    case .select:
      let labels = question.options.map(\.label)
      let names = Set(labels.map { $0.lowercased() })
      guard labels.count <= choiceLimit, names.count == labels.count,
        names.isDisjoint(with: ownLabels), labels.allSatisfy(isButton)
      else { return [] }
      return question.options.map { GlanceChoice(label: $0.label, answer: .value($0.value)) }
    case .ask, .input, .editor, .permission, .other: return []
    }
  }

  /// Whether a text is readable as the label of a button.
  private static func isButton(_ label: String) -> Bool {
    (1...choiceCharacterLimit).contains(label.count) && label.isPlainASCII
      && label.first != " " && label.last != " "
  }
}

extension String {
  /// The line after a pictogram and a space at its start.
  fileprivate var withoutSign: String {
    var rest = unicodeScalars[...]
    guard let sign = rest.popFirst(), sign.isPicture else { return self }
    if sign.takesSelector, rest.first == .pictureSelector { rest.removeFirst() }
    return rest.first == " " ? String(rest) : self
  }
}
