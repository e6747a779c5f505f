// SPDX-License-Identifier: MIT

/// The outcome of a turn, in one word.
package enum TurnEnd: String, Sendable, CaseIterable {
  case finished
  case empty
  case failed
  /// It failed because of a usage limit of the model's provider.
  case limited
  case stopped
  /// The end was not seen, and no other source shows the outcome.
  case unknown
}

/// A turn in brief; texts are on one line, limited and safe to show.
package struct TurnSummary: Sendable, Equatable {
  package var startedAt: Timestamp?
  /// `nil` while the turn is running, and if unknown.
  package var endedAt: Timestamp?
  /// The current operation, such as `bash: swift test`.
  package var operation: String?
  package var todo: TodoProgress?
  /// The reason of a failure; `nil` if the turn did not fail.
  package var failure: String?
  /// When the usage limit is reset that made the turn fail; `nil` without one, and if unknown.
  package var resetAt: Timestamp?
  /// `nil` while the turn is running.
  package var end: TurnEnd?

  package init(
    startedAt: Timestamp? = nil,
    endedAt: Timestamp? = nil,
    operation: String? = nil,
    todo: TodoProgress? = nil,
    failure: String? = nil,
    resetAt: Timestamp? = nil,
    end: TurnEnd? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.operation = operation
    self.todo = todo
    self.failure = failure
    self.resetAt = resetAt
    self.end = end
  }

  package init(_ outcome: TurnOutcome) {
    self.init(failure: outcome.failure?.safeLine(limit: 300), end: outcome.end)
  }

  /// An ended turn from the transcript; its last entry is its end only if it finished.
  package init(_ turn: PastTurn) {
    self.init(turn.activity.outcome ?? .unknown(reason: nil))
    startedAt = turn.startedAt
    resetAt = turn.endedAt.flatMap { turn.activity.outcome?.limit?.resetAt(after: $0) }
    if end == .finished { endedAt = turn.endedAt }
    todo = turn.activity.todo
  }

  /// The same turn on another clock.
  func moved(by offset: Duration) -> TurnSummary {
    var turn = self
    turn.startedAt = startedAt?.moved(by: offset)
    turn.endedAt = endedAt?.moved(by: offset)
    turn.resetAt = resetAt?.moved(by: offset)
    return turn
  }
}

extension TurnOutcome {
  package var end: TurnEnd {
    switch self {
    case .succeeded: .finished
    case .empty: .empty
    case .failed: limit == nil ? .failed : .limited
    case .stopped, .dropped: .stopped
    case .unknown: .unknown
    }
  }

  /// The outcome's name in machine-readable output.
  package var word: String { end.rawValue }

  /// The server's reason of a failure, or the reason for an empty turn.
  fileprivate var failure: String? {
    switch self {
    case .failed(let reason): reason
    case .empty: "the agent returned no answer"
    case .succeeded, .stopped, .dropped, .unknown: nil
    }
  }
}

extension TurnActivity {
  /// The to-do list in the latest call that contains one.
  package var todo: TodoProgress? {
    var todo = toolCalls.reversed().lazy.compactMap { TodoProgress($0) }.first
    let current = todo?.current?.safeLine(limit: 120)
    todo?.current = current
    return todo
  }
}
