// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  package init(_ status: ContentState.Status) {
    switch status {
    case .awaitingApproval: self.init("!", "Approval needed", .warning)
    case .awaitingAnswer: self.init("?", "Question pending", .warning)
    case .error: self.init("✗", "Error occurred", .error)
    case .processing: self.init("▶", "Processing")
    case .completed: self.init("✓", "Completed", .success)
    case .idle: self.init("●", "Idle", .dim)
    case .offline: self.init("○", "Offline", .dim)
    case .notPaired: self.init("+", "Not paired", .dim)
    }
  }
}
