// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTerminal
package import OppiWire

/// A state as a single-column symbol and a word: readable without colours and symbols.
///
/// Only what waits for the user has the style of a warning.
package struct StatusMark: Sendable, Equatable {
  package var symbol: String
  package var word: String
  package var style: Style

  package init(_ symbol: String, _ word: String, _ style: Style = .plain) {
    self.symbol = symbol
    self.word = word
    self.style = style
  }

  /// The symbol and the word.
  package var line: StyledText { StyledText("\(symbol) \(word)", style) }

  package init(_ turn: Turn) {
    switch turn.status {
    case .idle: self.init("●", SessionPhase.idle.title, .dim)
    case .running:
      let running = Self("▶", SessionPhase.running.title, .accent)
      self = turn.waitsFor.map(StatusMark.init(title:)) ?? running
    case .stopping: self.init("▶", "Stopping", .accent)
    case .finished(let outcome): self.init(outcome)
    }
  }

  /// What waits for an approval or an answer.
  package init(_ need: RequestNeed) { self.init("!", need.state, .warning) }

  /// The same at the start of a line.
  private init(title need: RequestNeed) { self.init("!", need.title, .warning) }

  init(_ outcome: TurnOutcome) {
    switch outcome {
    case .succeeded: self.init("✓", "Finished", .success)
    case .empty: self.init("✗", "No answer", .error)
    case .failed: self.init("✗", outcome.limit == nil ? "Failed" : "Usage limit", .error)
    case .stopped: self.init("●", "Stopped")
    case .dropped: self.init("●", "Dropped")
    case .unknown: self.init("●", "Unknown", .unknown)
    }
  }

  package init(_ state: ToolCallState) {
    switch state {
    case .planned: self.init("●", "planned", .dim)
    case .waitingApproval: self.init(RequestNeed.approval)
    case .waiting: self.init("!", SessionPhase.waiting.word, .warning)
    case .running: self.init("▶", SessionPhase.running.word, .accent)
    case .succeeded: self.init("✓", "done", .success)
    case .failed: self.init("✗", "failed", .error)
    case .rejected: self.init("✗", "rejected")
    case .unfinished: self.init("●", "unfinished", .unknown)
    }
  }

  package init(_ status: Session.Status) {
    switch status {
    case .starting: self.init("●", "starting", .dim)
    case .ready: self.init("●", SessionPhase.idle.word)
    case .busy: self.init("▶", SessionPhase.running.word, .accent)
    case .stopping: self.init("▶", "stopping", .accent)
    case .stopped: self.init("●", SessionPhase.done.word, .dim)
    case .error: self.init("✗", SessionPhase.failed.word, .error)
    case .unknown(let word): self.init("●", word, .unknown)
    }
  }
}

extension StatusMark {
  /// How a turn ended.
  package init(_ end: TurnEnd) {
    switch end {
    case .finished: self.init("✓", "finished", .success)
    case .empty: self.init("✗", "no answer", .error)
    case .failed: self.init("✗", SessionPhase.failed.word, .error)
    case .limited: self.init("✗", "usage limit", .error)
    case .stopped: self.init("●", "stopped", .dim)
    case .unknown: self.init("?", "unknown", .unknown)
    }
  }

  /// The state of a session; only a finished agent has a mark of success.
  package init(_ session: SessionStatus) {
    let word = session.phase.word
    switch session.phase {
    case .waiting: self.init("!", word, .warning)
    case .failed: self.init("✗", word, .error)
    case .running: self.init("▶", word, .accent)
    case .idle where session.outcome == .finished: self.init("✓", word, .success)
    case .idle: self.init("●", word)
    case .done: self.init("●", word, .dim)
    }
  }
}

extension StatusMark {
  package init(_ status: ContentState.Status) {
    switch status {
    case .awaitingApproval: self.init(title: .approval)
    case .awaitingAnswer: self.init(title: .answer)
    case .error: self.init("✗", SessionPhase.failed.title, .error)
    case .processing: self.init("▶", SessionPhase.running.title, .accent)
    case .completed: self.init("✓", SessionPhase.idle.title, .success)
    case .idle: self.init("●", SessionPhase.idle.title, .dim)
    case .offline: self.init("○", "Offline", .dim)
    case .notPaired: self.init("+", "Not paired", .dim)
    }
  }
}
