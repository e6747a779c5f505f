// SPDX-License-Identifier: MIT

/// The turns found in the durable events since the agent was loaded.
struct HeardTurns: Sendable {
  /// A finished turn: the start of its prompt, if known, and the outcome.
  typealias Ended = (prompt: String?, outcome: TurnOutcome)

  /// The reducer after all events; if the agent is idle, it is settled.
  private(set) var reducer: ActivityReducer
  /// In order, including the last turn if it is over.
  private(set) var ended: [Ended] = []

  /// Applies the events; settles the last turn unless the agent is working.
  init(_ events: [ServerMessage], sessionID: String, isAtWork: Bool = false, at now: Timestamp) {
    reducer = ActivityReducer(sessionID: sessionID)
    for event in events { hear { $0.apply(event, at: now) } }
    if !isAtWork { hear { $0.settle() } }
  }

  private mutating func hear(_ step: (inout ActivityReducer) -> [ActivityChange]) {
    var prompt = reducer.openingText
    for change in step(&reducer) {
      switch change {
      case .turnStarted: prompt = nil
      case .turnFinished(let outcome, _): ended.append((prompt, outcome))
      default: break
      }
    }
  }
}
