// SPDX-License-Identifier: MIT

/// A message of the socket `/app/events/stream`: a change in any session of a server.
package struct AppEvent: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The socket is open; earlier changes are never sent.
    case connected
    /// A new or changed session.
    case summary(Session)
    /// The agent was stopped, or could not be.
    case stopped
    /// The agent has ended.
    case ended
    /// The session was deleted.
    case deleted
    case failed(message: String)
    case question(UserQuestion)
    /// A question is no longer pending, whether it was answered or not.
    case settled(id: String)
    /// Any other message; it changes nothing that lists show.
    case other
  }

  package var sessionID: String?
  package var kind: Kind

  /// Reads a message; `nil` if it is not an object with a `type`.
  package init?(json: JSONValue) {
    guard let type = json["type"].text(.name) else { return nil }
    sessionID = json["sessionId"].wireID ?? json["summary"]["id"].wireID
    kind = Self.kind(type, json) ?? .other
  }

  /// Reads a message from the bytes of a text frame.
  package init?(bytes: [UInt8]) {
    guard let json = try? JSONValue(parsing: bytes) else { return nil }
    self.init(json: json)
  }

  private static func kind(_ type: String, _ json: JSONValue) -> Kind? {
    switch type {
    case "app_events_connected": .connected
    case "session_created", "session_imported", "session_discovered", "session_summary":
      Session(json: json["summary"]).map(Kind.summary)
    case "stop_confirmed", "stop_failed": .stopped
    case "session_ended": .ended
    case "session_deleted": .deleted
    case "session_error": .failed(message: json["message"].text(.sentence) ?? "unknown error")
    case "extension_ui_request":
      json["id"].wireID.map { id in
        .question(UserQuestion(id: id, method: json["method"].text(.name) ?? "", body: json))
      }
    case "extension_ui_settled": json["id"].wireID.map { .settled(id: $0) }
    default: nil
    }
  }
}

/// Finds the app events after which a server's sessions must be read again.
///
/// A running turn changes its session's summary with every message; only a change of the status or
/// of the pending dialogs is news.
package struct AppEventNews: Sendable {
  private struct Known: Sendable, Equatable {
    var status: Session.Status
    var pendingCount: Int

    init(_ session: Session) {
      (status, pendingCount) = (session.status, session.pendingCount)
    }
  }

  /// The most sessions to remember; bounds the memory of a long-running process.
  private static let limit = 4096

  private var sessions: [String: Known] = [:]

  package init() {}

  /// Returns whether an event is news.
  package mutating func take(_ event: AppEvent) -> Bool {
    switch event.kind {
    case .connected:
      sessions = [:]
      return true
    case .summary(let session):
      if sessions.count >= Self.limit, sessions[session.id] == nil { sessions = [:] }
      let known = Known(session)
      return sessions.updateValue(known, forKey: session.id) != known
    case .ended, .deleted:
      if let id = event.sessionID { sessions[id] = nil }
      return true
    case .stopped, .failed, .question, .settled: return true
    case .other: return false
    }
  }
}
