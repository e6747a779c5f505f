// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// Everything that the console shows of the servers: requests, sessions, and which servers answer.
///
/// Made from the answers of the servers, one after the other; performs no input or output.
package struct FleetView: Sendable {
  /// What a server answered at a moment.
  package struct Answer: Sendable {
    /// On this machine's clock.
    package var at: Timestamp
    /// How far the server's clock is ahead of this machine's.
    package var clockOffset: Duration
    /// What asks a human on the server.
    package var way: Dialect.Requests
    package var requests: [ListedRequest]
    package var sessions: [SessionStatus]

    package init(
      at: Timestamp,
      clockOffset: Duration = .zero,
      way: Dialect.Requests = .permissions,
      requests: [ListedRequest] = [],
      sessions: [SessionStatus] = []
    ) {
      (self.at, self.clockOffset, self.way) = (at, clockOffset, way)
      (self.requests, self.sessions) = (requests, sessions)
    }
  }

  /// Why a server did not answer, safe to show.
  package struct Failure: Error, Equatable {
    package enum Kind: Sendable {
      case unreachable
      /// The server refuses access to this machine.
      case refusal
      /// The server is not the one that was paired, as far as can be verified; nothing was sent.
      case notTrusted
      /// The answers of the server cannot be used.
      case invalid

      package var words: String {
        switch self {
        case .unreachable: "is unreachable"
        case .refusal: "refuses access"
        case .notTrusted: "is not trusted"
        case .invalid: "sends invalid answers"
        }
      }
    }

    package var message: String
    /// What to do about it; `nil` if waiting is all there is.
    package var remedy: String?
    package var kind: Kind

    package init(message: String, remedy: String? = nil, kind: Kind = .unreachable) {
      (self.message, self.remedy, self.kind) = (message, remedy, kind)
    }
  }

  package struct Server: Sendable {
    package let id: Fingerprint
    /// The local name, safe to show.
    package var name: String
    /// Its last answer, without the requests; `nil` if it has not answered yet.
    package var answer: Answer?
    /// Why it did not answer since.
    package var failure: Failure?

    package init(id: Fingerprint, name: String) { (self.id, self.name) = (id, name) }

    /// Whether nothing is known of it yet.
    package var isNew: Bool { answer == nil && failure == nil }

    /// How far its clock is ahead of this machine's.
    package var clockOffset: Duration { answer?.clockOffset ?? .zero }
  }

  /// How long a request stays visible after it ended.
  package static let settledFor = Duration.seconds(600)
  /// The most ended requests that stay visible.
  package static let settledLimit = 50
  /// How long a request may still be listed after its decision was confirmed: an answer of the
  /// server may be older than the decision.
  static let settlingTime = Duration.seconds(10)

  /// The longest time for which two queries of a server overlap.
  private static let overlapLimit = Duration.seconds(60)

  package private(set) var servers: [Server] = [] {
    didSet { arrange() }
  }
  /// The sessions of all servers as they are listed, in their order: frames are drawn more often than
  /// servers answer.
  private var arranged: [ListedSession] = []
  private var places: [ListedSession.ID: Int] = [:]
  /// In no order; ``requests(_:matching:at:)`` sorts them.
  private(set) var requests: [ListedRequest.ID: ListedRequest] = [:]

  package init() {}

  /// Sets the paired servers; keeps what is known of those that remain.
  package mutating func pair(_ paired: [(id: Fingerprint, name: String)]) {
    let known = Dictionary(servers.map { ($0.id, $0) }) { first, _ in first }
    let present = Set(paired.map(\.id))
    requests = requests.filter { present.contains($0.key.serverID) }
    servers = paired.map { id, name in
      var server = known[id] ?? Server(id: id, name: name)
      server.name = name
      return server
    }
  }

  // MARK: - News

  package mutating func take(_ answer: Answer, of serverID: Fingerprint) {
    guard let index = servers.firstIndex(where: { $0.id == serverID }) else { return }
    // Two queries may overlap; a later time by far is a clock that was set back.
    if let contact = servers[index].answer?.at, answer.at < contact,
      contact <= answer.at.moved(by: Self.overlapLimit)
    {
      return
    }
    for var request in answer.requests {
      // It was pending before; the server does not tell since when, but its session has waited.
      if servers[index].answer == nil,
        let session = answer.sessions.first(where: { $0.id == request.id.sessionID })
      {
        request.seenAt = min(request.seenAt, session.lastActivity)
      }
      list(request, at: answer.at)
    }
    let listed = Set(answer.requests.map(\.id))
    for (id, request) in requests where id.serverID == serverID && !listed.contains(id) {
      // The result of a reply that is under way settles it.
      guard request.state == .pending else { continue }
      let settlement =
        request.settlement(at: answer.at) ?? ListedRequest.Settlement(.elsewhere, at: answer.at)
      requests[id]?.state = .settled(settlement)
    }
    prune(at: answer.at)
    var server = servers[index]
    (server.answer, server.failure) = (answer, nil)
    server.answer?.requests = []
    servers[index] = server
  }

  /// Takes the recorded decisions on requests that are no longer listed, by the ids of the requests.
  ///
  /// They change nothing for requests to which this console has replied.
  package mutating func take(
    _ decisions: [String: AuditEntry],
    of serverID: Fingerprint,
    at now: Timestamp
  ) {
    let offset = server(serverID)?.clockOffset ?? .zero
    for (id, request) in requests where id.serverID == serverID {
      guard let entry = decisions[id.requestID], let settlement = request.settlement(at: now),
        settlement.kind == .elsewhere || settlement.kind == .expired
      else { continue }
      let at = entry.at.moved(by: .zero - offset)
      let isPlausible = at <= now && now < at.moved(by: Self.settledFor)
      requests[id]?.state = .settled(
        .init(
          .recorded(isAllowed: entry.isAllowed, by: entry.decidedBy),
          at: isPlausible ? at : settlement.at
        )
      )
    }
  }

  package mutating func take(_ failure: Failure, of serverID: Fingerprint) {
    guard let index = servers.firstIndex(where: { $0.id == serverID }) else { return }
    servers[index].failure = failure
  }

  private mutating func list(_ request: ListedRequest, at now: Timestamp) {
    var request = request
    if let known = requests[request.id], known.isSame(request) {
      request.state = Self.state(after: known.state, at: now)
      request.seenAt = min(known.seenAt, request.seenAt)
    }
    requests[request.id] = request
  }

  /// The state of a request that a server lists again.
  private static func state(
    after state: ListedRequest.State,
    at now: Timestamp
  ) -> ListedRequest.State {
    switch state {
    case .pending, .sending: return state
    case .settled(let settlement):
      guard case .replied(_, let outcome) = settlement.kind, outcome.isSettled else {
        return .pending
      }
      return settlement.at.moved(by: settlingTime) > now ? state : .pending
    }
  }

  /// Removes requests that ended too long ago, or are too many.
  private mutating func prune(at now: Timestamp) {
    let settled = requests.values
      .compactMap { request in request.settlement(at: now).map { (request.id, $0.at) } }
      .sorted { $0.1 > $1.1 }
    for (place, (id, at)) in settled.enumerated()
    where place >= Self.settledLimit || at.moved(by: Self.settledFor) <= now {
      requests[id] = nil
    }
  }

  // MARK: - Replies

  /// Records that the user's reply to a request is under way; returns false if the request is not
  /// pending.
  package mutating func begin(_ reply: RequestReply, to id: ListedRequest.ID) -> Bool {
    guard requests[id]?.state == .pending else { return false }
    requests[id]?.state = .sending(reply)
    return true
  }

  /// Records the result of a reply to a request as it was shown; `nil` if it did not reach the
  /// server, so that the request is pending again.
  ///
  /// The result of a reply to another request with the same id changes nothing.
  package mutating func end(
    _ reply: RequestReply,
    to request: ListedRequest,
    _ outcome: DecisionOutcome?,
    at now: Timestamp
  ) {
    let id = request.id
    guard let known = requests[id], known.state == .sending(reply), known.isSame(request) else {
      return
    }
    switch outcome {
    case nil, .changed: requests[id]?.state = .pending
    case let outcome?:
      requests[id]?.state = .settled(ListedRequest.Settlement(.replied(reply, outcome), at: now))
    }
    arrange()
  }
}

/// What the console lists of its servers.
extension FleetView {
  package func server(_ id: Fingerprint) -> Server? { servers.first { $0.id == id } }

  /// What asks a human on a server; as on the first servers until it has answered.
  package func way(of id: Fingerprint) -> Dialect.Requests {
    server(id)?.answer?.way ?? .permissions
  }

  package func request(_ id: ListedRequest.ID) -> ListedRequest? { requests[id] }

  /// The most urgent request of a session that needs a decision; `nil` if none is listed.
  package func openRequest(of session: ListedSession.ID, at now: Timestamp) -> ListedRequest? {
    requests.values.filter { $0.id.session == session && $0.isOpen(at: now) }
      .min { $0.isBefore($1) }
  }

  /// Whether a reply to a request of a session is under way, and no other request of it is open.
  package func isAnswering(_ session: ListedSession.ID, at now: Timestamp) -> Bool {
    let own = requests.values.filter { $0.id.session == session }
    let isSent = own.contains { if case .sending = $0.state { true } else { false } }
    return isSent && !own.contains { $0.isOpen(at: now) }
  }

  /// Whether a request is pending and still as it was shown.
  package func isPending(asShown request: ListedRequest, at now: Timestamp) -> Bool {
    requests[request.id].map { $0.isOpen(at: now) && $0.isSame(request) } ?? false
  }

  /// The requests that a filter and a text include.
  ///
  /// The pending ones come first: the highest risk, then the earliest expiry; then the ended ones,
  /// the latest first.
  package func requests(
    _ filter: RequestFilter = .all,
    matching text: String = "",
    at now: Timestamp
  ) -> [ListedRequest] {
    let found = requests.values.filter { request in
      filter.includes(request, at: now)
        && text.isFound(in: [request.approval.tool, request.approval.summary, request.place.text])
    }
    return found.sorted { first, second in
      switch (first.settlement(at: now), second.settlement(at: now)) {
      case (nil, nil): first.isBefore(second)
      case (nil, _): true
      case (_, nil): false
      case (let mine?, let other?):
        mine.at == other.at ? first.order < second.order : other.at < mine.at
      }
    }
  }

  /// The number of requests that need a decision.
  package func openCount(_ filter: RequestFilter = .all, at now: Timestamp) -> Int {
    requests.values.count { $0.isOpen(at: now) && filter.includes($0, at: now) }
  }

  /// The requests that need a decision.
  package func openRequests(at now: Timestamp) -> Set<ListedRequest.ID> {
    Set(requests.values.filter { $0.isOpen(at: now) }.map(\.id))
  }

  /// The number of sessions that wait for the user without a request in the list: older servers
  /// report some questions only in their sessions.
  package func waitingCount(at now: Timestamp) -> Int {
    let known = requests.values.filter { request in
      guard let settlement = request.settlement(at: now) else { return true }
      return now < settlement.at.moved(by: Self.settlingTime)
    }
    let listed = Set(known.compactMap(\.id.session))
    return sessions(.waiting).count { !listed.contains($0.id) }
  }

  /// The sessions in a state, or all; the most urgent state first, then the latest.
  package func sessions(
    _ phase: SessionPhase? = nil,
    matching text: String = ""
  ) -> [ListedSession] {
    let found = phase.map { phase in arranged.filter { $0.phase == phase } } ?? arranged
    guard !text.isEmpty else { return found }
    return found.filter { session in
      let status = session.status
      return text.isFound(
        in: [status.goal, status.workspaceName, session.server, status.id].compactMap(\.self)
      )
    }
  }

  private mutating func arrange() {
    let sessions = servers.flatMap { server in
      (server.answer?.sessions ?? []).map { session($0, of: server) }
    }
    arranged = sessions.sorted { $0.status < $1.status }
    places = Dictionary(zip(arranged.map(\.id), arranged.indices)) { first, _ in first }
  }

  package func session(_ id: ListedSession.ID) -> ListedSession? { places[id].map { arranged[$0] } }

  /// A session as listed, without the requests that this console has decided since.
  private func session(_ listed: SessionStatus, of server: Server) -> ListedSession {
    var status = listed
    status.approvals.removeAll { approval in
      isDecided(.init(serverID: server.id, sessionID: listed.id, requestID: approval.id))
    }
    let decided = listed.approvals.count - status.approvals.count
    status.pendingCount = max(0, listed.pendingCount - decided)
    if decided > 0, status.phase == .waiting, status.approvals.isEmpty, status.question == nil,
      status.pendingCount == 0
    {
      status.phase = .running
    }
    var session = ListedSession(serverID: server.id, server: server.name, status: status)
    session.lastSeen = server.failure == nil ? nil : server.answer?.at
    return session
  }

  /// Whether the server confirmed a decision of this console, and has not listed the request again.
  private func isDecided(_ id: ListedRequest.ID) -> Bool {
    guard case .settled(let settlement)? = requests[id]?.state,
      case .replied(_, let outcome) = settlement.kind
    else { return false }
    return outcome.isSettled
  }
}

extension String {
  /// Whether one of the texts contains this one, regardless of case; an empty text is found in all.
  package func isFound(in texts: [String]) -> Bool {
    let wanted = lowercased()
    return wanted.isEmpty || texts.contains { $0.lowercased().contains(wanted) }
  }
}
