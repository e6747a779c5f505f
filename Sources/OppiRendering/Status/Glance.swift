// SPDX-License-Identifier: MIT

package import OppiModel

/// A content state in symbols and words, the same for every bar; all of it safe to show.
package struct Glance: Sendable {
  package let state: ContentState
  let now: Timestamp
  let mark: StatusMark

  /// Looks at a state at a moment, by which the time that is left to decide is counted.
  package init(_ state: ContentState, at now: Timestamp) {
    self.state = state
    self.now = now
    mark = StatusMark(state.status)
  }

  /// How a presentation looks, line by line; at least one, and none is empty.
  package func lines(_ presentation: StatusPresentation) -> [StyledText] {
    switch presentation {
    case .minimal: [StyledText(symbol, mark.style)]
    case .compact: [compact]
    case .expanded: expanded
    }
  }

  /// How a presentation looks where there is one line only.
  package func line(_ presentation: StatusPresentation) -> String {
    lines(presentation).map(\.plain).joined(separator: " · ")
  }

  /// The state in words alone, for whoever hears it.
  package var text: String {
    let words = [mark.word] + [place, time].compactMap(\.self)
    return ([words.joined(separator: ", ")] + details.map(\.plain) + notes.map(\.plain))
      .joined(separator: "; ")
  }

  /// A symbol of one column for each state; what may be otherwise by now is marked as such.
  private var symbol: String { mark.symbol + (isOld ? "~" : "") }

  /// Whether the state is an old one; that a server is offline is told as such.
  private var isOld: Bool { state.isStale && state.status != .offline }

  // MARK: - Compact

  private var compact: StyledText {
    var line = StyledText("\(symbol) \(word)", mark.style)
    for text in counters { line.append(" \(text)") }
    return line
  }

  private var word: String {
    switch state.status {
    case .awaitingApproval: Self.count(state.pendingApprovals, "approval")
    case .awaitingAnswer: Self.count(state.pendingQuestions, "question")
    case .error: "error"
    case .processing: Self.number(state.counts[.running] ?? 1).map { "\($0) running" } ?? "running"
    case .completed: "done"
    case .idle: "idle"
    case .offline: "offline"
    case .notPaired: "not paired"
    }
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

  /// How many there are of a thing: the thing alone where there is one.
  private static func count(_ count: Int, _ thing: String) -> String {
    number(count).map { "\($0) \(thing)s" } ?? thing
  }

  /// A number of several things, as short as a bar needs it; `nil` for one.
  static func number(_ count: Int) -> String? {
    switch count {
    case ...1: nil
    case ...999: String(count)
    default: "999+"
    }
  }

  // MARK: - Times

  /// The time that the turn takes, as of what was heard last.
  var elapsed: String? { state.elapsedSeconds.map(ElapsedTime.clock) }

  /// Of what waits for approval the time that is left, of what is offline that since then, else the
  /// time that the turn takes.
  var time: String? {
    state.status == .offline ? age : wait.map { "\($0) left" } ?? elapsed
  }

  /// The time that is left to decide.
  var wait: String? {
    guard state.status == .awaitingApproval else { return nil }
    return state.approval?.secondsLeft(at: now).map(ElapsedTime.clock)
  }

  var age: String? { state.ageSeconds.map { RelativeTime.age(seconds: $0) } }

  private var todoCount: String? {
    state.todo.flatMap { todo in todo.total > 0 ? "\(todo.completed)/\(todo.total)" : nil }
  }
}
