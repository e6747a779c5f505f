// SPDX-License-Identifier: MIT

/// What the durable events since the agent was loaded tell of its turns.
struct HeardTurns: Sendable {
  /// A turn that is over: the beginning of its prompt, where that was told, and what it came to.
  typealias Ended = (prompt: String?, outcome: TurnOutcome)

  /// What has heard them all; nothing is doubtful any more.
  private(set) var reducer: ActivityReducer
  /// In their order, the last one with them where it is over.
  private(set) var ended: [Ended] = []

  /// Hears the events of a session that is at rest, or at work where nothing is to be settled.
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
