// SPDX-License-Identifier: MIT

package import OppiModel

/// A content state as symbols and words, the same for every bar; all text is safe to show.
package struct Glance: Sendable {
  package let state: ContentState
  let now: Timestamp
  let mark: StatusMark

  /// Creates a glance; the time left for a decision is relative to `now`.
  package init(_ state: ContentState, at now: Timestamp) {
    self.state = state
    self.now = now
    mark = StatusMark(state.status)
  }

  /// The lines of a presentation; at least one, and none is empty.
  package func lines(_ presentation: StatusPresentation) -> [StyledText] {
    switch presentation {
    case .minimal: [StyledText(symbol, mark.style)]
    case .compact: [compact]
    case .expanded: expanded
    }
  }

  package func line(_ presentation: StatusPresentation) -> String {
    lines(presentation).map(\.plain).joined(separator: " · ")
  }

  /// The state in words only, for screen readers.
  package var text: String {
    let words = [mark.word] + [place, time].compactMap(\.self)
    return ([words.joined(separator: ", ")] + details.map(\.plain) + notes.map(\.plain))
      .sentence()
  }

  /// A single-column symbol of the state, with a mark if the state is old.
  private var symbol: String { mark.symbol + (isOld ? "~" : "") }

  /// Whether the state is old; an offline server has its own state.
  private var isOld: Bool { state.isStale && state.status != .offline }

  // MARK: - Compact

  private var compact: StyledText {
    var line = StyledText("\(symbol) \(word)", mark.style)
    for text in counters { line.append(" \(text)") }
    return line
  }

  private var word: String {
    switch state.status {
    case .awaitingApproval: pending ?? Self.count(state.pendingApprovals, "approval")
    case .awaitingAnswer: Self.count(state.pendingQuestions, "question")
    case .processing: Self.number(state.counts[.running] ?? 1).map { "\($0) running" } ?? "running"
    case .error, .completed, .idle: mark.word.lowercased()
    case .offline: "offline"
    case .notPaired: "not paired"
    }
  }

  /// The pending approvals and questions, if there are both.
  var pending: String? {
    guard state.pendingApprovals > 0, state.pendingQuestions > 0 else { return nil }
    let counts = [(state.pendingApprovals, "approval"), (state.pendingQuestions, "question")]
    return counts.map { count, thing in
      Self.number(count).map { "\($0) \(thing)s" } ?? "1 \(thing)"
    }
    .joined(separator: ", ")
  }

  private var counters: [String] {
    switch state.status {
    case .offline: [age].compactMap(\.self)
    case .awaitingApproval: [wait].compactMap(\.self) + oldNote
    case .processing: [elapsed, todoCount].compactMap(\.self) + oldNote
    default: oldNote
    }
  }

  private var oldNote: [String] { isOld ? ["(\(age.map { "\($0) old" } ?? "old"))"] : [] }

  /// A count with its noun; the noun alone for one.
  private static func count(_ count: Int, _ thing: String) -> String {
    number(count).map { "\($0) \(thing)s" } ?? thing
  }

  /// A number of at most four characters; `nil` for one or less.
  static func number(_ count: Int) -> String? {
    switch count {
    case ...1: nil
    case ...999: String(count)
    default: "999+"
    }
  }

  // MARK: - Times

  /// The duration of the turn according to the latest data.
  var elapsed: String? { state.elapsedSeconds.map(ElapsedTime.clock) }

  /// The time left for a pending approval, the age of an offline server, or the turn's duration.
  var time: String? {
    state.status == .offline ? age : wait.map { "\($0) left" } ?? elapsed
  }

  var wait: String? {
    guard state.status == .awaitingApproval else { return nil }
    return state.approval?.secondsLeft(at: now).map(ElapsedTime.clock)
  }

  var age: String? { state.ageSeconds.map { RelativeTime.age(seconds: $0) } }

  private var todoCount: String? {
    state.todo.flatMap { todo in todo.total > 0 ? "\(todo.completed)/\(todo.total)" : nil }
  }
}
