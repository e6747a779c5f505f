// SPDX-License-Identifier: MIT

package import OppiModel

/// Something that a menu offers.
package enum PickChoice: Sendable {
  case workspace(ServerWorkspace)
  case session(PairedServer, SessionStatus)
  case shortcut(NamedShortcut)
  case approval(PairedServer, PendingApproval, RequestPlace)

  package var kind: Kind {
    switch self {
    case .workspace: .workspaces
    case .session: .sessions
    case .shortcut: .shortcuts
    case .approval: .approvals
    }
  }

  /// What other commands take for it.
  package var name: String {
    switch self {
    case .workspace(let workspace): workspace.reference?.description ?? workspace.qualifiedName
    case .session(let server, let session): "\(server.name)/\(session.id)"
    case .shortcut(let row): row.name.text
    case .approval(_, let approval, _): approval.id
    }
  }

  /// What it is remembered by; `nil` for what does not come again.
  package var memory: String? {
    switch self {
    case .workspace, .shortcut: "\(kind.word) \(name)"
    case .session(let server, let session): "\(kind.word) \(server.id)/\(session.id)"
    case .approval: nil
    }
  }

  /// Whether it stands before another that was chosen as recently, or as long ago.
  func isBefore(_ other: PickChoice) -> Bool {
    switch (self, other) {
    case (.session(_, let first), .session(_, let second)):
      first.phase == second.phase
        ? (first.lastActivity, first.id) > (second.lastActivity, second.id)
        : first.phase < second.phase
    // A shortcut is what a user has made for the purpose.
    case (.shortcut, .workspace): true
    case (.workspace, .shortcut): false
    default: (sortName, name) < (other.sortName, other.name)
    }
  }

  private var sortName: String {
    switch self {
    case .workspace(let workspace): workspace.qualifiedName.lowercased()
    default: name.lowercased()
    }
  }
}

extension [PickChoice] {
  /// What waits for approval first, by risk and by what expires soonest; then what was chosen last,
  /// and what never was by its name, shortcuts before workspaces (sessions by what is urgent).
  func sorted(by ranks: [String: Int]) -> [PickChoice] {
    let approvals = compactMap { choice in
      if case .approval(_, let approval, _) = choice { (choice, approval) } else { nil }
    }
    let others = filter { $0.kind != .approvals }
      .map { choice in (choice, choice.memory.flatMap { ranks[$0] } ?? .max) }
    return approvals.sorted { $0.1 < $1.1 }.map(\.0)
      + others.sorted { $0.1 == $1.1 ? $0.0.isBefore($1.0) : $0.1 < $1.1 }.map(\.0)
  }
}

extension PickChoice {
  /// What a menu may be about.
  package enum Kind: String, Sendable, CaseIterable {
    case workspaces
    case sessions
    case shortcuts
    case approvals

    /// One of them.
    package var word: String { String(rawValue.dropLast()) }
  }
}
