// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  package init(_ status: ContentState.Status) {
    switch status {
    case .awaitingApproval: self.init("!", Self.forApproval, .warning)
    case .awaitingAnswer: self.init("?", Self.forAnswer, .warning)
    case .error: self.init("✗", SessionPhase.failed.title, .error)
    case .processing: self.init("▶", SessionPhase.running.title)
    case .completed: self.init("✓", SessionPhase.idle.title, .success)
    case .idle: self.init("●", SessionPhase.idle.title, .dim)
    case .offline: self.init("○", "Offline", .dim)
    case .notPaired: self.init("+", "Not paired", .dim)
    }
  }
}
