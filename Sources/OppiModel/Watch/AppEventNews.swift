// SPDX-License-Identifier: MIT

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
