// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

extension PickChoice {
  /// The maximum number of characters of a row.
  private static let textLimit = 240

  var row: Menu.Row {
    switch self {
    case .workspace(let workspace):
      let about = workspace.workspace.description.map { " (\($0))" } ?? ""
      return Menu.Row(Self.line("ask \(workspace.qualifiedName)\(about)"))
    case .session(let server, let session):
      let place = "\(server.name)/\(session.workspaceName ?? session.id)"
      return Menu.Row(
        Self.line("\(session.phase.word): \(session.goal ?? session.id) (\(place))"),
        subject: Menu.Subject(kind: .session, name: name)
      )
    case .shortcut(let row):
      return Menu.Row(
        Self.line("run \(row.name.text) (\(row.shortcut.prompt.safeLine(limit: 80)))"),
        subject: Menu.Subject(kind: .shortcut, name: name)
      )
    case .approval(_, let approval, let place):
      let call = approval.call.safeLine(limit: 80)
      let mark = "\(approval.riskWord == nil ? "?" : "!") \(approval.mark.word)"
      return Menu.Row(
        Self.line("\(mark): \(call) (\(place.text))"),
        subject: Menu.Subject(kind: .approval, name: name)
      )
    }
  }

  private static func line(_ text: String) -> String { text.safeLine(limit: textLimit) }
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
  var absence: String { self == .approvals ? "no pending approvals" : "no \(rawValue)" }
}
