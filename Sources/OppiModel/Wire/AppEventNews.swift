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

  /// Returns whether a message is news.
  package mutating func take(_ message: ServerMessage) -> Bool {
    switch message.kind {
    case .streamConnected:
      // Earlier changes are never sent.
      sessions = [:]
      return true
    case .summary(let session):
      if sessions.count >= Self.limit, sessions[session.id] == nil { sessions = [:] }
      let known = Known(status: session.status, pendingCount: session.pendingCount)
      return sessions.updateValue(known, forKey: session.id) != known
    case .sessionEnded, .sessionDeleted:
      if let id = message.sessionID { sessions[id] = nil }
      return true
    case .question(let question): return WireID.isValid(question.id)
    case .questionSettled(let id): return WireID.isValid(id)
    case .stopConfirmed, .stopFailed, .error: return true
    default: return false
    }
  }
}
