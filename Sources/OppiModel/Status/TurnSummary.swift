// SPDX-License-Identifier: MIT

/// What a turn came to, in a word.
package enum TurnEnd: String, Sendable, CaseIterable {
  case finished
  case empty
  case failed
  case stopped
  /// The end was not seen, and nothing tells what it was.
  case unknown
}

/// A turn in as few words as a glance takes; texts are on one line, bounded and safe to show.
package struct TurnSummary: Sendable, Equatable {
  package var startedAt: Timestamp?
  /// `nil` while it runs, and where the server does not say.
  package var endedAt: Timestamp?
  /// What the agent does at the moment, such as `bash: swift test`.
  package var operation: String?
  package var todo: TodoProgress?
  /// Why the turn came to nothing; `nil` where it did not fail.
  package var failure: String?
  /// What it came to; `nil` while it runs.
  package var end: TurnEnd?

  package init(
    startedAt: Timestamp? = nil,
    endedAt: Timestamp? = nil,
    operation: String? = nil,
    todo: TodoProgress? = nil,
    failure: String? = nil,
    end: TurnEnd? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.operation = operation
    self.todo = todo
    self.failure = failure
    self.end = end
  }

  /// A turn that is over.
  package init(_ outcome: TurnOutcome) {
    self.init(failure: outcome.failure?.safeLine(limit: 300), end: outcome.end)
  }

  /// A turn that is over, as it is written down; its last entry is its end only where it finished.
  package init(_ turn: PastTurn) {
    self.init(turn.activity.outcome ?? .unknown(reason: nil))
    startedAt = turn.startedAt
    if end == .finished { endedAt = turn.endedAt }
    todo = turn.activity.todo
  }

  /// The same on another clock.
  func moved(by offset: Duration) -> TurnSummary {
    var turn = self
    turn.startedAt = startedAt?.moved(by: offset)
    turn.endedAt = endedAt?.moved(by: offset)
    return turn
  }
}

extension TurnOutcome {
  package var end: TurnEnd {
    switch self {
    case .succeeded: .finished
    case .empty: .empty
    case .failed: .failed
    case .stopped, .dropped: .stopped
    case .unknown: .unknown
    }
  }

  /// The outcome's name for programs.
  package var word: String { end.rawValue }

  /// Why the turn came to nothing, in the server's words.
  fileprivate var failure: String? {
    switch self {
    case .failed(let reason): reason
    case .empty: "the agent returned no answer"
    case .succeeded, .stopped, .dropped, .unknown: nil
    }
  }
}

extension TurnActivity {
  /// The list of things to do, as the latest call that tells of it has it.
  package var todo: TodoProgress? {
    var todo = toolCalls.reversed().lazy.compactMap { TodoProgress($0) }.first
    let current = todo?.current?.safeLine(limit: 120)
    todo?.current = current
    return todo
  }
}
