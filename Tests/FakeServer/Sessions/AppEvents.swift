// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Events for the viewers of all sessions

extension Sessions {
  /// The events of a session that its own viewers and those of all sessions get alike.
  private static let common: Set<String> = [
    "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "extension_ui_request",
    "extension_ui_settled", "extension_ui_notification",
  ]

  func announceEvent(_ type: String, _ members: JSONObject, of session: LiveSession) {
    if Self.common.contains(type) {
      announce(type, members, about: session)
    } else if type == "error" {
      announce("session_error", ["message": members["error"]], about: session)
    }
  }

  func announceCreation(of session: LiveSession) {
    let summary = summary(of: session)
    session.announcedSummary = summary
    announce("session_created", ["summary": summary], about: session)
  }

  /// Announces the summary of a session unless it is the one that was announced last.
  func announceSummary(of session: LiveSession) {
    guard dialect.updates == .appEvents, all[session.id] != nil else { return }
    let summary = summary(of: session)
    guard summary != session.announcedSummary else { return }
    session.announcedSummary = summary
    announce("session_summary", ["summary": summary], about: session)
  }

  func announce(_ type: String, _ members: JSONObject = [:], about session: LiveSession) {
    guard dialect.updates == .appEvents else { return }
    let event = JSONValue.object([
      "type": .string(type),
      "sessionId": .string(session.id),
      "workspaceId": .string(session.workspace.id),
      "emittedAt": loop.timestamp.json,
    ])
    streams.announce(event.adding(members))
  }
}
