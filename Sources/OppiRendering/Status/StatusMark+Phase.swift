// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  /// How a session stands; only an agent that is known to have finished is marked as such.
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
