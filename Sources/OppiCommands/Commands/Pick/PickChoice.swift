// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Something that a menu offers.
enum PickChoice: Sendable {
  case workspace(ServerWorkspace)
  case session(PairedServer, SessionStatus)
  case shortcut(NamedShortcut)
  case approval(PairedServer, PendingApproval, RequestPlace)

  /// More of a text is read elsewhere.
  private static let textLimit = 240

  var kind: Kind {
    switch self {
    case .workspace: .workspaces
    case .session: .sessions
    case .shortcut: .shortcuts
    case .approval: .approvals
    }
  }

  /// What other commands take for it.
  var name: String {
    switch self {
    case .workspace(let workspace): workspace.reference?.description ?? workspace.qualifiedName
    case .session(let server, let session): "\(server.name)/\(session.id)"
    case .shortcut(let row): row.name.text
    case .approval(_, let approval, _): approval.id
    }
  }

  /// What it is remembered by; `nil` for what does not come again.
  var memory: String? {
    switch self {
    case .workspace, .shortcut: "\(kind.word) \(name)"
    case .session(let server, let session): "\(kind.word) \(server.id)/\(session.id)"
    case .approval: nil
    }
  }

  /// How it stands in a menu.
  var row: Menu.Row {
    switch self {
    case .workspace(let workspace):
      let about = workspace.workspace.description.map { " (\($0))" } ?? ""
      return Menu.Row(Self.line("ask \(workspace.qualifiedName)\(about)"))
    case .session(let server, let session):
      let place = "\(server.name)/\(session.workspaceName ?? session.id)"
      return Menu.Row(
        Self.line("\(session.phase.rawValue): \(session.goal ?? session.id) (\(place))"),
        subject: Menu.Subject(kind: .session, name: name)
      )
    case .shortcut(let row):
      return Menu.Row(
        Self.line("run \(row.name.text) (\(row.shortcut.prompt.safeLine(limit: 80)))"),
        subject: Menu.Subject(kind: .shortcut, name: name)
      )
    case .approval(_, let approval, let place):
      let call = "\(approval.tool): \(approval.summary)".safeLine(limit: 80)
      return Menu.Row(
        Self.line("! \(approval.risk.word): \(call) (\(place.text))"),
        subject: Menu.Subject(kind: .approval, name: name)
      )
    }
  }

  private static func line(_ text: String) -> String { text.safeLine(limit: textLimit) }

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
  enum Kind: String, Sendable, CaseIterable {
    case workspaces
    case sessions
    case shortcuts
    case approvals

    /// One of them.
    var word: String { String(rawValue.dropLast()) }

    /// What is asked above a menu of them.
    var prompt: String {
      switch self {
      case .workspaces: "Ask in"
      case .sessions: "Follow"
      case .shortcuts: "Run"
      case .approvals: "Decide"
      }
    }

    /// That there are none.
    var absence: String { self == .approvals ? "no pending approvals" : "no \(rawValue)" }
  }
}
