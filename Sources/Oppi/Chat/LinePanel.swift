// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A pending request or question as printed lines with numbered choices; performs no input or
/// output.
///
/// Only a line that is exactly a choice decides a request, and only after the whole text was on the
/// terminal for the length of a pause. An empty line decides nothing.
struct LinePanel: Sendable {
  enum Subject: Sendable, Equatable {
    case approval(PermissionRequest)
    case question(ChatQuestion)

    var request: HumanRequest {
      switch self {
      case .approval(let request): .permission(request)
      case .question(let question): .question(question.source)
      }
    }
  }

  enum Outcome: Sendable, Equatable {
    /// Nothing is decided; has the lines to print.
    case said([StyledText])
    /// The whole text must be printed again.
    case repeated
    case decided(PermissionDecision, because: String?)
    case answered(QuestionAnswer)
  }

  /// The line that cancels a question.
  static let cancellation = "/cancel"
  private static let tooEarly = StyledText(
    "not decided: typed less than 1 second after the text; wait, then type it again"
  )

  let subject: Subject
  /// In columns.
  private let width: Int
  private var gate = TypingGate()
  private var shown = ShownRows()
  /// Whether the next line is the reason of a denial.
  private(set) var asksReason = false

  init(_ subject: Subject, width: Int) {
    (self.subject, self.width) = (subject, width)
  }

  /// The panel for the open request or question; keeps the last panel if it is still the right one.
  static func of(_ state: ChatState, after last: LinePanel?, width: Int) -> LinePanel? {
    let open = state.approval.map(Subject.approval) ?? state.question.map(Subject.question)
    guard let open else { return nil }
    return last?.subject == open ? last : LinePanel(open, width: width)
  }

  // MARK: - Text

  /// The whole text with its choices; `left` is the time left, if known.
  func lines(left: String? = nil) -> [StyledText] {
    switch subject {
    case .approval(let request):
      var end = SpokenRequest.end(of: request)
      if let left { end = ["end of request; denied without a decision in \(left)"] }
      return SpokenRequest.lines(of: request, width: width) + choices(of: request)
        + (end + [usage]).flatMap(folded)
    case .question(let question):
      let time = left.map { ["cancelled without an answer in \($0)"] } ?? []
      return question.spokenLines(width: width) + (time + [usage]).flatMap(folded)
    }
  }

  private func folded(_ line: String) -> [StyledText] {
    StyledText(line).folded(to: width, indent: 2)
  }

  /// The choices that the policy allows here.
  private func offered(for request: PermissionRequest) -> [ApprovalPanel.Choice] {
    ApprovalPanel.Choice.allCases.filter {
      ApprovalPolicy.obstacle(to: $0.decision, request, on: .panel(isWholeShown: true)) == nil
    }
  }

  private func choices(of request: PermissionRequest) -> [StyledText] {
    offered(for: request).map { StyledText("\(Self.number(of: $0)) \($0.label)") }
  }

  /// The same choice has the same number in every request.
  private static func number(of choice: ApprovalPanel.Choice) -> Int {
    1 + (ApprovalPanel.Choice.allCases.firstIndex(of: choice) ?? 0)
  }

  /// What may be typed.
  var usage: String {
    if asksReason { return "type the reason and press Enter; an empty line: back to the choices" }
    switch subject {
    case .approval(let request):
      let numbers = offered(for: request).map { "\(Self.number(of: $0))" }
      let list = numbers.dropLast().joined(separator: ", ")
      let last = numbers.last ?? ""
      return "type \(list.isEmpty ? last : "\(list) or \(last)"), or a question mark to repeat"
    case .question(let question):
      var way = question.choices.isEmpty ? [] : ["the number of a choice"]
      if question.takesSeveral { way = ["the numbers of choices, separated by commas"] }
      if question.takesText { way.append("your own answer") }
      return "type \((way + [Self.cancellation]).joined(separator: ", or ")); question mark: repeat"
    }
  }

  // MARK: - Input

  /// Records that the whole text was printed.
  mutating func wasShown(at now: Duration) {
    gate.wasShown(at: now)
    shown.wasPrinted()
  }

  private var surface: ApprovalPolicy.Surface { .panel(isWholeShown: shown.isWhole) }

  /// The panel as new, after its text was printed again.
  var shownAgain: Self { LinePanel(subject, width: width) }

  /// Handles a line; `typed` is when it was read.
  mutating func take(_ line: String, at typed: Duration) -> Outcome {
    if line.allSatisfy(\.isWhitespace) {
      asksReason = false
      return .said(folded(usage))
    }
    if line == "?", !asksReason { return .repeated }
    guard gate.lets(at: typed) else { return .said(folded(Self.tooEarly.plain)) }
    switch subject {
    case .approval(let request): return decide(request, by: line)
    case .question(let question): return answer(question, by: line)
    }
  }

  private mutating func decide(_ request: PermissionRequest, by line: String) -> Outcome {
    if asksReason {
      asksReason = false
      return .decided(.deny, because: line)
    }
    let choice = ApprovalPanel.Choice.allCases.first {
      line == "\(Self.number(of: $0))" || line == $0.label
    }
    guard let choice else { return .said(folded("nothing is decided: \(usage)")) }
    if let obstacle = ApprovalPolicy.obstacle(to: choice.decision, request, on: surface) {
      return .said(folded(obstacle.notice))
    }
    guard choice == .denyWithReason else { return .decided(choice.decision, because: nil) }
    asksReason = true
    return .said(folded(usage))
  }

  private func answer(_ question: ChatQuestion, by line: String) -> Outcome {
    if line == Self.cancellation { return .answered(.cancelled) }
    guard let answer = question.answer(forText: line) else {
      return .said(folded("no such choice: \(usage)"))
    }
    if let obstacle = question.obstacle(to: answer, on: surface) {
      return .said(folded(obstacle.noticeForQuestion))
    }
    return .answered(answer)
  }
}

extension ChatQuestion {
  /// The question with its numbered choices, for a listener; nothing is dropped.
  func spokenLines(width: Int) -> [StyledText] {
    let place = part.count > 1 ? ", \(part.number) of \(part.count)" : ""
    let asker = source.extensionName.map { ", asked by \($0)" } ?? ""
    let size = lines.count > 1 ? ", \(lines.count) lines" : ""
    let warnings = RequestText.warnings(of: source).map { "warning: \($0)" }
    let isShort = lines.count == 1
    let head = isShort ? "question\(place)\(asker): \(lines[0])" : "question\(place)\(asker)\(size)"
    var prose = [StyledText(head)] + warnings.map { StyledText($0) }
    if let placeholder { prose.append(StyledText("example: \(placeholder)")) }
    let answers = choices.enumerated().map { index, choice in
      var line = StyledText("\(index + 1) \(RevealedText(choice.label).line)")
      if !choice.note.isEmpty { line.append("; \(choice.note)") }
      return line
    }
    let text =
      prefill.map { RevealedText($0).plain.map { StyledText("current text: \($0)") } } ?? []
    return prose.flatMap { $0.folded(to: width, indent: 2) }
      + (isShort ? [] : SpokenRequest.numbered(lines.map { StyledText($0) }, width: width))
      + (answers + text).flatMap { $0.cut(to: width, rest: StyledText("  ")) }
  }
}
