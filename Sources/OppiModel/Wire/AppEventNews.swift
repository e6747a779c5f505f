// SPDX-License-Identifier: MIT

/// Finds the messages of the socket `/app/events/stream` after which a server's sessions must be read
/// again.
///
/// A running turn changes its session's summary with every message; only a change of the status or
/// of the pending dialogs is news.
package struct AppEventNews: Sendable {
  private struct Known: Sendable, Equatable {
    var status: Session.Status
    var pendingCount: Int
  }

  /// The most sessions to remember; bounds the memory of a long-running process.
  private static let limit = 4096

  private var sessions: [String: Known] = [:]

  package init() {}

  /// Returns a message; `nil` if it is not an object with a `type`.
  package static func message(_ json: JSONValue) -> JSONValue? {
    json["type"].text(.name) == nil ? nil : json
  }

  /// Returns whether a message is news.
  package mutating func take(_ message: JSONValue) -> Bool {
    switch message["type"].text(.name) {
    case "app_events_connected":
      // Earlier changes are never sent.
      sessions = [:]
      return true
    case "session_created", "session_imported", "session_discovered", "session_summary":
      guard let session = Session(json: message["summary"]) else { return false }
      if sessions.count >= Self.limit, sessions[session.id] == nil { sessions = [:] }
      let known = Known(status: session.status, pendingCount: session.pendingCount)
      return sessions.updateValue(known, forKey: session.id) != known
    case "session_ended", "session_deleted":
      let id = message["sessionId"].wireID ?? message["summary"]["id"].wireID
      if let id { sessions[id] = nil }
      return true
    case "extension_ui_request", "extension_ui_settled": return message["id"].wireID != nil
    case "stop_confirmed", "stop_failed", "session_error": return true
    default: return false
    }
  }
}
