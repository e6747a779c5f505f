// SPDX-License-Identifier: MIT

import OppiModel

/// Which sessions a list has.
struct SessionFilter: Sendable {
  var workspaceID: String?
  /// The statuses, or `active` for all but `stopped`; any status if empty.
  var statuses: Set<String> = []
  /// The range of the latest activity, in milliseconds since the Unix epoch.
  var since: Int?
  var until: Int?
  var idPrefix: String?
  var limit: Int?

  func includes(_ session: LiveSession) -> Bool {
    let activity = session.history.lastActivity.milliseconds
    let isActive = session.status != .stopped
    return workspaceID.map { session.workspace.id == $0 } ?? true
      && (statuses.isEmpty || statuses.contains(session.status.rawValue)
        || isActive && statuses.contains("active"))
      && since.map { activity >= $0 } ?? true
      && until.map { activity <= $0 } ?? true
      && idPrefix.map { session.id.hasPrefix($0) } ?? true
  }
}

extension Sessions {
  /// The sessions that a filter includes, most recent activity first.
  private func sessions(_ filter: SessionFilter) -> [LiveSession] {
    let sorted = all.values.filter(filter.includes)
      .sorted { ($0.history.lastActivity, $0.id) > ($1.history.lastActivity, $1.id) }
    return filter.limit.map { Array(sorted.prefix($0)) } ?? sorted
  }

  func list(_ filter: SessionFilter) -> [JSONValue] { sessions(filter).map(json) }

  func summaries(_ filter: SessionFilter) -> [JSONValue] { sessions(filter).map(summary) }

  /// The session in the form of lists, with the number of its listed dialogs.
  func summary(of session: LiveSession) -> JSONValue {
    let pending = session.agent?.questions.count { $0.entry != nil } ?? 0
    return session.record.summary(dialect).adding(["pendingAskCount": .number(pending)])
  }

  /// The counts of a workspace's sessions in the list of workspaces.
  func counts(ofWorkspace id: String) -> JSONValue {
    let sessions = sessions(SessionFilter(workspaceID: id))
    let active = sessions.filter { $0.status != .stopped }
    return .object([
      "workspaceId": .string(id),
      "activeCount": .number(active.count),
      "stoppedCount": .number(sessions.count - active.count),
      "hasAttention": .bool(active.contains { $0.agent?.questions.isEmpty == false }),
      "latestActivity": sessions.first.map(\.history.lastActivity.json),
    ])
  }

  /// The pending questions in several parts of a workspace's sessions.
  func asks(inWorkspace id: String) -> [JSONValue] {
    let questions = sessions(SessionFilter(workspaceID: id)).flatMap { session in
      (session.agent?.questions ?? []).map { (session, $0) }
    }
    return questions.filter { $1.request["method"] == "ask" }.compactMap { session, question in
      question.entry?.adding([
        "sessionId": .string(session.id), "workspaceId": .string(id), "method": nil,
      ])
    }
  }
}
