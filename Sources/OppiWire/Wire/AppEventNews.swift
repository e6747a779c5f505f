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
  /// The errors of running or last turns, by session id: servers may report them nowhere else.
  package private(set) var failures: [String: String] = [:]

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
      let before = sessions.updateValue(known, forKey: session.id)
      // Another turn has started.
      if session.status == .busy, before?.status != .busy { failures[session.id] = nil }
      return before != known
    case .sessionEnded, .sessionDeleted:
      guard let id = message.sessionID else { return true }
      sessions[id] = nil
      if case .sessionDeleted = message.kind { failures[id] = nil }
      return true
    case .question(let question): return WireID.isValid(question.id)
    case .questionSettled(let id): return WireID.isValid(id)
    case .error(let text, _, _):
      if let id = message.sessionID, failures.count < Self.limit { failures[id] = text }
      return true
    case .stopConfirmed, .stopFailed: return true
    default: return false
    }
  }
}
