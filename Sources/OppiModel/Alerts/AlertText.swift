// SPDX-License-Identifier: MIT

package struct AlertText: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case approve(id: String)
    case deny(id: String)
    case open

    package var label: String {
      switch self {
      case .approve: "Approve"
      case .deny: "Deny"
      case .open: "Open"
      }
    }
  }

  /// One line, safe to show.
  package var summary: String
  /// Several lines, safe to show.
  package var body: String
  package var actions: [Action]

  package init(_ summary: String, _ body: [String] = [], actions: [Action] = [.open]) {
    self.summary = summary
    self.body = body.filter { !$0.isEmpty }.joined(separator: "\n")
    self.actions = actions
  }
}
