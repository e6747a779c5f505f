// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// An open request of the menu: the panel of the chat in lines, with the same rules.
struct MenuRequest: Sendable {
  enum Outcome: Sendable, Equatable {
    /// Nothing is decided; has the lines to print.
    case said([StyledText])
    /// The whole text must be printed, for the first time or again.
    case shown
    case closed
    case replied(RequestReply, because: String?)
  }

  private(set) var request: BoardRequest
  private let isReadOnly: Bool
  private let way: Dialect.Requests
  /// In columns.
  private let width: Int
  private var answers: ChatAnswers
  /// `nil` if the request cannot be decided here.
  private var panel: LinePanel?
  var isDeciding: Bool { panel != nil }
  /// Whether the request is no longer pending, and the user was told so.
  private var hasEnded = false
  /// A word of the menu that was typed as the text of an answer; it counts if it is repeated.
  private var word: String?

  /// `way` is what asks a human on the request's server.
  init(_ request: BoardRequest, for way: Dialect.Requests, isReadOnly: Bool, width: Int) {
    (self.request, self.way, self.isReadOnly) = (request, way, isReadOnly)
    self.width = width
    answers = ChatAnswers(for: way)
    makePanel()
  }

  private mutating func makePanel() {
    panel = nil
    guard !isReadOnly, request.state == .pending else { return }
    switch request.request {
    case .permission(let permission): panel = LinePanel(.approval(permission), width: width)
    case .question(let question):
      panel = answers.next(of: question).map { LinePanel(.question($0), width: width) }
    }
  }

  // MARK: - Text

  /// The whole text; that of a request that cannot be decided here has no choices.
  func lines(at now: Timestamp) -> [StyledText] {
    guard let panel else {
      return [StyledText(SpokenRows.line(of: request, at: now))] + content
        + [StyledText("an empty line: back")]
    }
    let left = request.approval.secondsLeft(at: now).map { RelativeTime.age(seconds: $0) }
    return [StyledText("in \(request.place.text)")] + panel.lines(left: left)
      + [StyledText("an empty line: back, nothing is decided")]
  }

  /// The request without choices.
  private var content: [StyledText] {
    switch request.request {
    case .permission(let permission): SpokenRequest.lines(of: permission, width: width)
    case .question: RequestText.rows(of: request.request, width: width)
    }
  }

  mutating func wasShown(at now: Duration) { panel?.wasShown(at: now) }

  // MARK: - Changes

  /// Takes the latest state of the request; returns what to print.
  ///
  /// One that changed is a new request, and must be read again.
  mutating func update(_ latest: BoardRequest, at now: Timestamp) -> Outcome? {
    let (isSame, wasOpen) = (latest.request == request.request, !hasEnded)
    request = latest
    hasEnded = !latest.isOpen(at: now)
    if hasEnded {
      guard wasOpen else { return nil }
      panel = nil
      return .said([StyledText("no longer pending: \(SpokenRows.line(of: latest, at: now))")])
    }
    // A reply that did not reach the server leaves the request pending.
    let isPendingAgain = panel == nil && !isReadOnly && latest.state == .pending
    guard !isSame || isPendingAgain else { return nil }
    if !isSame { answers = ChatAnswers(for: way) }
    makePanel()
    return panel == nil && isSame ? nil : .shown
  }

  /// Handles a line; `typed` is when it was read.
  mutating func take(_ line: String, at typed: Duration) -> Outcome {
    guard var open = panel else { return .closed }
    if open.closes(line) { return .closed }
    if open.isText(line), Self.words.contains(line), word != line {
      word = line
      return .said([StyledText("not sent; type \(line) again to send it as the answer")])
    }
    word = nil
    let outcome = open.take(line, at: typed)
    panel = open
    switch (outcome, open.subject) {
    case (.said(let lines), _): return .said(lines)
    case (.repeated, _):
      panel = open.shownAgain
      return .shown
    case (.decided(let decision, let reason), _):
      return .replied(.decision(decision), because: reason)
    case (.answered(.cancelled), _): return .replied(.answer(.cancelled), because: nil)
    case (.answered(let answer), .question(let question)):
      if let whole = answers.take(answer, to: question) {
        return .replied(.answer(whole), because: nil)
      }
      makePanel()
      return .shown
    case (.answered, .approval): return .closed
    }
  }
}

extension MenuRequest {
  /// What has a meaning on the other pages of the menu.
  private static let words = ["0", "q", "r", "more"]
}

extension LinePanel {
  /// Whether a line would be the text of an answer.
  fileprivate func isText(_ line: String) -> Bool {
    guard case .question(let question) = subject, question.takesText else { return false }
    return !(1...max(1, question.choices.count)).contains(Int(line) ?? 0)
      || question.choices.isEmpty
  }

  /// Whether a line leaves the request as it is: an empty line, or 0 where it is no answer.
  fileprivate func closes(_ line: String) -> Bool {
    guard !asksReason else { return false }
    if line.allSatisfy(\.isWhitespace) { return true }
    guard line == "0" else { return false }
    if case .question(let question) = subject { return !question.choices.isEmpty }
    return true
  }
}
