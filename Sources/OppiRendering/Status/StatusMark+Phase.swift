// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  /// The state of a session; only a finished agent has a mark of success.
  package init(_ session: SessionStatus) {
    switch session.phase {
    case .waiting: self.init("!", "waiting", .warning)
    case .failed: self.init("✗", "failed", .error)
    case .running: self.init("▶", "running")
    case .idle where session.outcome == .finished: self.init("✓", "idle", .success)
    case .idle: self.init("●", "idle")
    case .done: self.init("●", "done", .dim)
    }
  }
}
