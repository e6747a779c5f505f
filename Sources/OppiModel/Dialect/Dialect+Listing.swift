// SPDX-License-Identifier: MIT

extension Dialect.Listing {
  /// The sessions that a flow needs; a list may have others too.
  package enum Scope: Sendable {
    case all
    /// Those with a loaded agent, and those that were active in the last days.
    case recent
    /// Those with a loaded agent.
    case loaded
  }

  /// The path of the list of a server's sessions; `nil` if only its workspaces have lists.
  package func path(of scope: Scope) -> String? {
    switch (self, scope) {
    case (.workspaces, _): nil
    case (.sessions, _): "/sessions"
    // Without a number of days, the server lists all sessions.
    case (.recent, .all): "/sessions/recent"
    case (.recent, .recent): "/sessions/recent?recentDays=7"
    case (.recent, .loaded): "/sessions/recent?recentDays=1"
    }
  }

  /// What a server lists that does not know the path of this list.
  package var earlier: Dialect.Listing? {
    switch self {
    case .recent: .sessions
    case .sessions: .workspaces
    case .workspaces: nil
    }
  }

  /// Whether a list has the number of pending dialogs of each session.
  package var countsDialogs: Bool { self == .recent }

  /// Whether a session that a list shows as loaded may have lost its agent in a crash.
  package var mayListLostAgents: Bool { self == .workspaces }
}

// MARK: - One session

extension Dialect.Listing {
  /// The path before all paths of a session's records.
  ///
  /// - Returns: `nil` without the workspace, where the path needs it.
  package func path(ofSession id: String, workspaceID: String?) -> String? {
    if self == .recent { return "/sessions/\(id)" }
    return workspaceID.map { "/workspaces/\($0)/sessions/\(id)" }
  }

  /// The path of a session with its conversation, after the path of the session.
  package var tracePath: String { self == .recent ? "/trace?include=all" : "" }

  /// The path of the whole output of a call.
  ///
  /// - Returns: `nil` without the workspace.
  package func path(ofOutput callID: String, session id: String, workspaceID: String?) -> String? {
    workspaceID.map { workspaceID in
      let path = "/workspaces/\(workspaceID)/sessions/\(id)/tool-output/\(callID)"
      return path + (self == .recent ? "?full=true" : "/full")
    }
  }

  /// The path of a session without its conversation; `nil` on servers that have none.
  package func path(ofEntry id: String) -> String? { self == .recent ? "/sessions/\(id)" : nil }
}
