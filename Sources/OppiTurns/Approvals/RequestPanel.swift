// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTerminal
package import OppiText
package import OppiWire

/// A pending request with its choices, on a screen or in printed lines; performs no input or output.
///
/// Only Enter, or a line that is exactly a choice, replies. A reply that lets the agent continue
/// needs every row to have been shown in the present size, and what keys selected to have been on the
/// screen for a moment. Every reply needs a pause after the request appeared: keys before that belong
/// to the draft.
package struct RequestPanel: Sendable {
  package enum Subject: Sendable, Equatable {
    case call(PermissionRequest)
    /// A dialog, or a part of a question.
    case question(ShownQuestion)

    package var request: HumanRequest {
      switch self {
      case .call(let request): .permission(request)
      case .question(let question): .question(question.source)
      }
    }

    package static func == (first: Subject, second: Subject) -> Bool {
      switch (first, second) {
      case (.call(let first), .call(let second)): first == second && first.isAbout(sameAs: second)
      case (.question(let first), .question(let second)): first == second
      default: false
      }
    }

    /// Whether both are parts of one question, and the parts differ.
    package func isNextPart(of other: Subject) -> Bool {
      guard case .question(let next) = self, case .question(let last) = other else { return false }
      return next.id == last.id && !request.isChange(of: other.request) && next != last
    }
  }

  package enum Form: Sendable, Equatable {
    case screen
    /// Printed as a whole in rows of at most `width` columns, with numbered choices.
    case lines(width: Int)
  }

  package enum Outcome: Sendable, Equatable {
    case taken
    /// The reply to the request, or to the part of it that is shown.
    case replied(RequestReply, because: String? = nil)
    /// The field of a reason is open now.
    case asksReason
    /// Nothing is decided; has the reason, or what may be typed as a line.
    case refused(String)
    /// The key belongs to the draft, after the text typed just before it.
    case typed(before: String)
    /// The key in the field of a reason belongs to the program.
    case action(ComposerAction)
    /// The whole text must be printed again.
    case repeated
  }

  /// Too short to read the next part.
  private static let partGlance = Duration.milliseconds(250)

  package let subject: Subject
  private let form: Form
  /// The choices of a call; `nil` for a question.
  private var call: CallChoices?
  /// The choices of a question; `nil` for a call.
  private var question: QuestionChoices?
  /// The reason of a denial, while it is typed.
  package private(set) var reason: ReasonField?
  private var gate = TypingGate()
  private var shown = ShownRows()
  /// Whether it is the next part of the same question: keys that come too early are then ignored
  /// and do not go to the draft.
  private var isNextPart = false
  private var size = ScreenSize(columns: 80, rows: 20)

  /// `choices` are those of a call.
  package init(
    _ subject: Subject,
    offering choices: [CallChoice] = CallChoice.allCases,
    in form: Form = .screen
  ) {
    (self.subject, self.form) = (subject, form)
    switch subject {
    case .call(let request): call = CallChoices(of: request, offering: choices)
    case .question(let part): question = QuestionChoices(of: part)
    }
  }

  /// The panel for what is open; keeps the last one if it is still the right one.
  ///
  /// On a screen, the next part of a question accepts keys soon after it was shown.
  package static func of(_ open: Subject?, after last: RequestPanel?, in form: Form)
    -> RequestPanel?
  {
    guard let open else { return nil }
    if let last, last.subject == open { return last }
    var panel = RequestPanel(open, in: form)
    if form == .screen, let last, open.isNextPart(of: last.subject) {
      panel.gate = TypingGate(rest: partGlance)
      panel.isNextPart = true
    }
    return panel
  }

  /// The panel after the user returns to it, or after its text is printed again, with typed text and
  /// marks; of a call, nothing is selected, and every row must be shown again.
  package var shownAgain: RequestPanel {
    var panel = self
    panel.gate = TypingGate()
    panel.isNextPart = false
    if panel.call != nil {
      panel.call?.deselect()
      panel.shown = ShownRows()
    }
    return panel
  }

  // MARK: - State

  package var request: HumanRequest { subject.request }

  /// The selected choice of a call.
  var selection: CallChoice? { call?.selection }

  /// What was typed and not sent.
  package var unsentText: String { reason?.composer.text ?? question?.unsentText ?? "" }

  /// Whether not all rows of the request are visible.
  package var isCut: Bool { shown.visible.count < shown.count }

  /// Why keys do not go to the panel, as of the last call with a time; `nil` if they do.
  package var closedNotice: String? {
    if gate.isOpen { return nil }
    return isNextPart ? "next question; ready in 1 s" : TypingGate.words
  }

  // MARK: - Time

  package mutating func wait(at now: Duration) { gate.wait(at: now) }

  /// Records that the view for the last size was on the screen, or that the whole text was printed.
  package mutating func wasShown(at now: Duration) {
    gate.wasShown(at: now)
    call?.wasShown(at: now)
    question?.wasShown(at: now)
    switch form {
    case .screen: shown.wasShown()
    case .lines(let width): shown.wasPrinted(columns: width)
    }
  }

  // MARK: - Keys

  package mutating func take(_ key: Key, at pressed: Duration) -> Outcome {
    if reason != nil { return write(key, at: pressed) }
    guard gate.lets(at: pressed) else {
      return isNextPart ? .taken : .typed(before: call?.typing(at: pressed) ?? "")
    }
    isNextPart = false
    let decision = call?.take(key, at: pressed, scrolling: &shown)
    let answer = question?.take(key, scrolling: &shown)
    let outcome = decision ?? answer ?? .taken
    switch outcome {
    case .replied(let reply, _): return checked(reply, at: pressed)
    case .asksReason: reason = ReasonField(openedAt: pressed)
    case .typed: gate.close(at: pressed)
    case .taken, .refused, .action, .repeated: break
    }
    return outcome
  }

  /// Replies unless a rule forbids it.
  private func checked(_ reply: RequestReply) -> Outcome {
    let surface = ApprovalPolicy.Surface.panel(isWholeShown: shown.isWhole)
    return ApprovalPolicy.obstacle(to: reply, request, on: surface)
      .map { .refused($0.notice(on: request)) } ?? .replied(reply)
  }

  /// Replies unless a rule forbids it, or Enter follows its selection too closely; a refusal of a
  /// question needs no selection.
  private func checked(_ reply: RequestReply, at pressed: Duration) -> Outcome {
    let outcome = checked(reply)
    guard case .replied = outcome, reply.effect(on: request) != .deny,
      let why = question?.obstacle(at: pressed)
    else { return outcome }
    return .refused(why)
  }

  /// Closes the field of the reason.
  package mutating func closeReason() { reason = nil }

  /// Removes the typed reason or answer.
  package mutating func clearText() {
    if reason != nil { reason?.clear() } else { question?.clear() }
  }

  private mutating func write(_ key: Key, at pressed: Duration) -> Outcome {
    switch reason?.take(key, at: pressed) {
    case .send(let text)?:
      guard reason?.lets(text, at: pressed) == true else {
        return .refused("press Enter again to deny with this reason")
      }
      reason = nil
      return .replied(.decision(.deny), because: text)
    case let action?: return .action(action)
    case nil: return .taken
    }
  }

  // MARK: - Lines

  /// Handles a line; `typed` is when it was read.
  package mutating func take(_ line: String, at typed: Duration) -> Outcome {
    if line.allSatisfy(\.isWhitespace) {
      reason = nil
      return .refused(usage)
    }
    if line == "?", reason == nil { return .repeated }
    guard gate.lets(at: typed) else { return .refused(TypingGate.tooEarly) }
    if reason != nil {
      reason = nil
      return .replied(.decision(.deny), because: line)
    }
    let choice = call?.choice(named: line) ?? question?.answer(named: line)
    switch choice {
    case .replied(let reply, _)?: return checked(reply)
    case .asksReason?:
      reason = ReasonField()
      return .refused(usage)
    default: return .refused("\(call == nil ? "no such choice" : "nothing is decided"): \(usage)")
    }
  }

  /// What may be typed as a line.
  var usage: String {
    guard reason == nil else {
      return "type the reason and press Enter; an empty line: back to the choices"
    }
    return call?.usage ?? question?.usage ?? ""
  }

  /// The whole text with its numbered choices, for a listener; `left` is the time left, if known.
  package func lines(left: String? = nil) -> [StyledText] {
    let width = if case .lines(let width) = form { width } else { size.columns }
    let text = call?.lines(width: width, left: left) ?? question?.lines(width: width, left: left)
    return (text ?? []) + StyledText(usage).folded(to: width, indent: 2)
  }

  // MARK: - View

  /// Lays out the request in a size in columns and rows.
  ///
  /// A change of size may show rows that were not seen: then nothing is selected any more, and keys
  /// need a new pause. The typed text and the marks stay.
  package mutating func fit(columns: Int, rows: Int) {
    size = ScreenSize(columns: columns, rows: rows)
    if shown.resize(columns: columns, rows: rows) {
      call?.deselect()
      question?.deselect()
      gate = TypingGate()
      isNextPart = false
    }
    call?.fit(size, in: &shown)
    question?.fit(size, in: &shown)
  }

  /// The view for the last size: the visible rows of the request, the status row, and the choices of
  /// a call or the field of a question.
  ///
  /// The cursor stands in the field; hidden, on the selected choice, and before that on the request, so
  /// that no choice seems to be selected. The time left is shown
  /// only with `serverNow`, the time on the server's clock. `folder` is the working directory of a
  /// call, safe to show.
  package func view(serverNow: Timestamp? = nil, folder: String? = nil) -> ScreenBlock {
    let status = status(serverNow, folder)
    return call?.view(in: shown, status: status, size, isListening: gate.isOpen)
      ?? question?.view(in: shown, status: status, size) ?? ScreenBlock(lines: [])
  }

  /// The visible rows, the time left, and the folder or the keys.
  private func status(_ serverNow: Timestamp?, _ folder: String?) -> StyledText {
    let left = serverNow.flatMap(request.countdown)
    let more = [left, folder.map { "in \($0)" }, question?.keys].compactMap(\.self)
      .joined(separator: "; ")
    let place = shown.place
    return place.with(StyledText(place.isEmpty || more.isEmpty ? more : "; \(more)", .dim))
      .truncated(to: size.columns)
  }
}
