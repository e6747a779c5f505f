// SPDX-License-Identifier: MIT

package import OppiModel

/// A state as a single-column symbol and a word: readable without colours and symbols.
package struct StatusMark: Sendable, Equatable {
  package var symbol: String
  package var word: String
  package var style: Style

  init(_ symbol: String, _ word: String, _ style: Style = .plain) {
    self.symbol = symbol
    self.word = word
    self.style = style
  }

  package init(_ activity: TurnActivity) {
    switch activity.status {
    case .idle: self.init("●", "Idle", .dim)
    case .running where !activity.pendingApprovals.isEmpty:
      self.init("!", "Needs approval", .warning)
    case .running where !activity.questions.isEmpty: self.init("?", "Needs an answer", .warning)
    case .running: self.init("▶", "Running")
    case .stopping: self.init("▶", "Stopping", .warning)
    case .finished(let outcome): self.init(outcome)
    }
  }

  package init(_ outcome: TurnOutcome) {
    switch outcome {
    case .succeeded: self.init("✓", "Done", .success)
    case .empty: self.init("✗", "No answer", .error)
    case .failed: self.init("✗", outcome.limit == nil ? "Failed" : "Usage limit", .error)
    case .stopped: self.init("●", "Stopped", .warning)
    case .dropped: self.init("●", "Dropped", .warning)
    case .unknown: self.init("●", "Unknown", .warning)
    }
  }

  package init(_ state: ToolCallState) {
    switch state {
    case .planned: self.init("●", "planned", .dim)
    case .waitingApproval: self.init("!", "needs approval", .warning)
    case .running: self.init("▶", "running")
    case .succeeded: self.init("✓", "done", .success)
    case .failed: self.init("✗", "failed", .error)
    case .rejected: self.init("✗", "rejected", .warning)
    case .unfinished: self.init("●", "unfinished", .warning)
    }
  }

  package init(_ status: Session.Status) {
    switch status {
    case .starting: self.init("●", "starting", .dim)
    case .ready: self.init("●", "ready")
    case .busy: self.init("▶", "running")
    case .stopping: self.init("▶", "stopping", .warning)
    case .stopped: self.init("●", "ended", .dim)
    case .error: self.init("✗", "failed", .error)
    case .unknown(let word): self.init("●", word, .dim)
    }
  }
}
