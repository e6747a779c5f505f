// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  package init(_ phase: SessionPhase) {
    switch phase {
    case .waiting: self.init("!", "waiting", .warning)
    case .failed: self.init("✗", "failed", .error)
    case .running: self.init("▶", "running")
    case .idle: self.init("✓", "idle", .success)
    case .done: self.init("●", "done", .dim)
    }
  }
}
