// SPDX-License-Identifier: MIT

/// What the console lists of its servers.
extension ConsoleBoard {
  package func server(_ id: Fingerprint) -> Server? { servers.first { $0.id == id } }

  package func request(_ id: BoardRequest.ID) -> BoardRequest? { requests[id] }

  /// The requests that a filter and a text include.
  ///
  /// The pending ones come first: the highest risk, then the earliest expiry; then the ended ones,
  /// the latest first.
  package func requests(
    _ filter: RequestFilter = .all,
    matching text: String = "",
    at now: Timestamp
  ) -> [BoardRequest] {
    let found = requests.values.filter { request in
      filter.includes(request, at: now)
        && text.isFound(in: [request.approval.tool, request.approval.summary, request.place.text])
    }
    return found.sorted { first, second in
      switch (first.settlement(at: now), second.settlement(at: now)) {
      case (nil, nil): first.approval < second.approval
      case (nil, _): true
      case (_, nil): false
      case (let mine?, let other?): (other.at, first.id.requestID) < (mine.at, second.id.requestID)
      }
    }
  }

  /// The number of requests that need a decision.
  package func openCount(_ filter: RequestFilter = .all, at now: Timestamp) -> Int {
    requests.values.count { $0.isOpen(at: now) && filter.includes($0, at: now) }
  }

  /// The requests that need a decision.
  package func openRequests(at now: Timestamp) -> Set<BoardRequest.ID> {
    Set(requests.values.filter { $0.isOpen(at: now) }.map(\.id))
  }

  /// The number of sessions that wait for the user without a request in the list: older servers
  /// report some questions only in their sessions.
  package func waitingCount(at now: Timestamp) -> Int {
    let known = requests.values.filter { request in
      guard let settlement = request.settlement(at: now) else { return true }
      return now < settlement.at.moved(by: Self.settlingTime)
    }
    let listed = Set(
      known.compactMap { request in
        request.id.sessionID.map {
          BoardSession.ID(serverID: request.id.serverID, sessionID: $0)
        }
      }
    )
    return sessions(.waiting).count { !listed.contains($0.id) }
  }

  /// The sessions in a state, or all; the most urgent state first, then the latest.
  package func sessions(
    _ phase: SessionPhase? = nil,
    matching text: String = ""
  ) -> [BoardSession] {
    let all = servers.flatMap { server in
      server.sessions.map { BoardSession(serverID: server.id, server: server.name, status: $0) }
    }
    let found = all.filter { session in
      let status = session.status
      return (phase.map { $0 == session.phase } ?? true)
        && text.isFound(
          in: [status.goal, status.workspaceName, session.server, status.id].compactMap(\.self)
        )
    }
    return found.sorted { first, second in
      if first.phase != second.phase { return first.phase < second.phase }
      let (mine, other) = (first.status, second.status)
      return (mine.lastActivity, mine.id) > (other.lastActivity, other.id)
    }
  }

  package func session(_ id: BoardSession.ID) -> BoardSession? {
    guard let server = server(id.serverID),
      let status = server.sessions.first(where: { $0.id == id.sessionID })
    else { return nil }
    return BoardSession(serverID: server.id, server: server.name, status: status)
  }
}

extension String {
  /// Whether one of the texts contains this one, regardless of case; an empty text is found in all.
  package func isFound(in texts: [String]) -> Bool {
    let wanted = lowercased()
    return wanted.isEmpty || texts.contains { $0.lowercased().contains(wanted) }
  }
}
