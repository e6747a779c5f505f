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

  private var open: OpenRequest
  /// In columns.
  private let width: Int
  /// Whether the request is no longer pending, and the user was told so.
  private var hasEnded = false
  /// A word of the menu that was typed as the text of an answer; it counts if it is repeated.
  private var word: String?

  /// `way` is what asks a human on the request's server.
  init(_ request: ListedRequest, for way: Dialect.Requests, isReadOnly: Bool, width: Int) {
    open = OpenRequest(request, for: way, isReadOnly: isReadOnly, in: .lines)
    self.width = width
  }

  var request: ListedRequest { open.request }

  var isDeciding: Bool { open.panel != nil }

  // MARK: - Text

  /// The whole text; that of a request that cannot be decided here has no choices.
  func lines(at now: Timestamp) -> [StyledText] {
    guard let panel = open.panel else {
      return [StyledText(SpokenRows.line(of: request, at: now))] + content
        + [StyledText("an empty line: back")]
    }
    let left = request.approval.secondsLeft(at: now).map { RelativeTime.age(seconds: $0) }
    return [StyledText("in \(request.place.text)")] + panel.lines(width: width, left: left)
      + [StyledText("an empty line: back, nothing is decided")]
  }

  /// The request without choices.
  private var content: [StyledText] {
    switch request.request {
    case .permission(let permission): SpokenRequest.lines(of: permission, width: width)
    case .question: RequestText.rows(of: request.request, width: width)
    }
  }

  mutating func wasShown(at now: Duration) { open.panel?.wasShown(at: now) }

  // MARK: - Changes

  /// Takes the latest state of the request; returns what to print.
  ///
  /// One that changed is a new request, and must be read again.
  mutating func update(_ latest: ListedRequest, at now: Timestamp) -> Outcome? {
    let wasOpen = !hasEnded
    let change = open.update(latest, at: now)
    hasEnded = change == .ended
    switch change {
    case .ended where wasOpen:
      return .said([StyledText("no longer pending: \(SpokenRows.line(of: latest, at: now))")])
    case .replaced, .reopened: return .shown
    case .ended, nil: return nil
    }
  }

  /// Handles a line; `typed` is when it was read.
  mutating func take(_ line: String, at typed: Duration) -> Outcome {
    guard let panel = open.panel, !panel.closes(line) else { return .closed }
    if panel.isText(line), Self.words.contains(line), word != line {
      word = line
      return .said([StyledText("not sent; type \(line) again to send it as the answer")])
    }
    word = nil
    switch open.panel?.take(line, at: typed) {
    case .replied(let reply, let reason)?:
      return open.complete(reply).map { .replied($0, because: reason) } ?? .shown
    case .refused(let why)?: return said(why)
    case .asksReason?: return said(open.panel?.usage ?? "")
    case .repeated?:
      open.panel = open.panel?.shownAgain
      return .shown
    case .taken?, .typed?, .action?, nil: return .closed
    }
  }

  private func said(_ text: String) -> Outcome {
    .said(StyledText(text).folded(to: width, indent: 2))
  }
}

extension MenuRequest {
  /// What has a meaning on the other pages of the menu.
  private static let words = ["0", "q", "r", "more"]
}

extension RequestPanel {
  /// Whether a line would be the text of an answer.
  fileprivate func isText(_ line: String) -> Bool {
    guard case .question(let question) = subject, question.takesText else { return false }
    return !(1...max(1, question.choices.count)).contains(Int(line) ?? 0)
      || question.choices.isEmpty
  }

  /// Whether a line leaves the request as it is: an empty line, or 0 where it is no answer.
  fileprivate func closes(_ line: String) -> Bool {
    guard reason == nil else { return false }
    if line.allSatisfy(\.isWhitespace) { return true }
    guard line == "0" else { return false }
    if case .question(let question) = subject { return !question.choices.isEmpty }
    return true
  }
}
