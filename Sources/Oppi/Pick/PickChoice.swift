// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// A choice in a menu.
enum PickChoice: Sendable {
  case workspace(ServerWorkspace)
  case session(PairedServer, SessionStatus)
  case shortcut(NamedShortcut)
  case approval(ListedRequest.ID, PendingApproval, RequestOrigin)

  var kind: Kind {
    switch self {
    case .workspace: .workspaces
    case .session: .sessions
    case .shortcut: .shortcuts
    case .approval: .approvals
    }
  }

  /// The name that other commands accept for the choice.
  var name: String {
    switch self {
    case .workspace(let workspace): workspace.reference?.description ?? workspace.qualifiedName
    case .session(let server, let session): server.qualified(session.id)
    case .shortcut(let row): row.name.text
    case .approval(let id, _, let place):
      place.server.map { "\($0)/\(id.requestID)" } ?? id.requestID
    }
  }

  /// The record that a request was shown; `nil` for other choices.
  var shown: ShownRequests.Entry? {
    guard case .approval(let id, let approval, _) = self else { return nil }
    return ShownRequests.Entry(approval, of: id.serverID, in: id.sessionID ?? "")
  }

  /// The key under which the choice is remembered; `nil` if the choice does not recur.
  var memory: String? {
    switch self {
    case .workspace, .shortcut: "\(kind.word) \(name)"
    case .session(let server, let session): "\(kind.word) \(server.id)/\(session.id)"
    case .approval: nil
    }
  }

  /// Whether it precedes another choice that was chosen equally recently.
  func isBefore(_ other: PickChoice) -> Bool {
    switch (self, other) {
    case (.session(_, let first), .session(_, let second)):
      first.phase == second.phase
        ? (first.lastActivity, first.id) > (second.lastActivity, second.id)
        : first.phase < second.phase
    // Users create shortcuts to pick them.
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
  /// Sorts requests first, by risk and expiry, then the choices by last use.
  ///
  /// Choices that were never used follow by name, shortcuts before workspaces; sessions by urgency.
  func sorted(by ranks: [String: Int]) -> [PickChoice] {
    let approvals = compactMap { choice in
      if case .approval(_, let approval, let place) = choice {
        (choice, approval, place)
      } else {
        nil
      }
    }
    let others = filter { $0.kind != .approvals }
      .map { choice in (choice, choice.memory.flatMap { ranks[$0] } ?? .max) }
    return approvals.sorted { $0.1.isBefore($1.1, $0.2, $1.2) }.map(\.0)
      + others.sorted { $0.1 == $1.1 ? $0.0.isBefore($1.0) : $0.1 < $1.1 }.map(\.0)
  }
}

extension PickChoice {
  /// The kinds of choices.
  enum Kind: String, Sendable, CaseIterable {
    case workspaces
    case sessions
    case shortcuts
    case approvals

    /// The singular.
    var word: String {
      switch self {
      case .workspaces: "workspace"
      case .sessions: "session"
      case .shortcuts: "shortcut"
      case .approvals: "approval"
      }
    }
  }
}

extension PickChoice {
  /// The maximum number of characters of a row.
  private static let textLimit = 240

  var row: Menu.Row {
    let text: String
    var subject: Menu.Subject.Kind?
    switch self {
    case .workspace(let workspace):
      let about = workspace.workspace.description.map { " (\($0))" } ?? ""
      text = "ask \(workspace.qualifiedName)\(about)"
    case .session(let server, let session):
      let place = server.qualified(session.workspaceName ?? session.id)
      text = "\(session.phase.word): \(session.goal ?? session.id) (\(place))"
      subject = .session
    case .shortcut(let row):
      text = "run \(row.name.text) (\(row.shortcut.prompt.safeLine(limit: 80)))"
      subject = .shortcut
    case .approval(_, let approval, let place):
      text = "! \(approval.mark.word): \(approval.call.safeLine(limit: 80)) (\(place.text))"
      subject = .approval
    }
    return Menu.Row(
      text.safeLine(limit: Self.textLimit),
      subject: subject.map { Menu.Subject(kind: $0, name: name) }
    )
  }
}

extension PickChoice.Kind {
  /// The title of a menu of this kind.
  var prompt: String {
    switch self {
    case .workspaces: "Ask in"
    case .sessions: "Follow"
    case .shortcuts: "Run"
    case .approvals: "Decide"
    }
  }

  /// The message if there are none.
  var absence: String { self == .approvals ? "no pending approvals" : "no \(word)s" }
}

extension PickChoice.Kind: ArgumentValue {
  static var placeholder: String { "KIND" }
}
