// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiWire

/// The pending requests of several servers.
package struct ApprovalQueue: Sendable {
  /// Highest risk first, then earliest expiry.
  package let rows: [ListedRequest]
  let answers: [Fleet.Answer<ServerOverview>]
  /// The requests that were pending earlier, if a server could not be queried or lists no request of
  /// a name.
  var seen: SeenIDs = [:]

  /// How long an action on a request of a known server waits for the others.
  private static let patience = Duration.seconds(1)

  /// Queries servers for their pending requests.
  ///
  /// With `depth` `.lists` the rows have their sessions; `.requests` saves those calls. `names` are
  /// requests that the user named: if all are known by their servers or their whole ids, only those
  /// servers are queried, and if by the starts of their ids, the others only briefly; of those that
  /// no server lists, the records of this machine and of the servers show which are gone.
  ///
  /// - Throws: If no server is paired, or the task is cancelled.
  package static func ask(
    _ fleet: Fleet,
    _ depth: Fleet.Depth = .lists,
    for names: [String] = [],
    in context: Services
  ) async throws -> ApprovalQueue {
    guard !fleet.servers.isEmpty else { throw OppiError.notPaired }
    let isNarrow = fleet.servers.count > 1 && !names.isEmpty
    let before = isNarrow ? context.seenRequests : [:]
    let fleet = isNarrow ? fleet.having(names, by: before) : fleet
    let holders = isNarrow ? fleet.having(names, by: before, orStarts: true) : fleet
    let others = fleet.others(than: holders, within: patience)
    let known = context.knownTurns
    async let rest = others.overviews(depth, known: known)
    let answers = try await holders.overviews(depth, known: known) + rest
    let seen = try await seen(names, answers, in: context)
    let overviews = answers.compactMap(\.value)
    if depth != .requests { context.remember(overviews) }
    let now = context.now()
    let cached = await context.cache.load()
    let rows = overviews.flatMap { overview in
      overview.listedRequests(in: cached[overview.server.id]?.workspaces ?? [], at: now)
    }
    .sorted { $0.isBefore($1) }
    return ApprovalQueue(rows: rows, answers: answers, seen: seen)
  }

  /// The requests that were pending earlier; none if every server lists what was named.
  ///
  /// The records of servers are read only for a named request that neither a list nor this machine
  /// knows.
  private static func seen(
    _ names: [String],
    _ answers: [Fleet.Answer<ServerOverview>],
    in context: Services
  ) async throws -> SeenIDs {
    let overviews = answers.compactMap(\.value)
    let hasAnswerOfAll = overviews.count == answers.count
    let listed = Set(overviews.flatMap(\.requests).map(\.id))
    let absent = names.map { PlacedID($0).id }
      .filter { name in !listed.contains { $0.hasPrefix(name) } }
    guard !hasAnswerOfAll || !absent.isEmpty else { return [:] }
    var seen = context.seenRequests
    // A whole id that no server lists is gone.
    let isUnknown = absent.contains { name in
      WireID.isWhole(name) != hasAnswerOfAll && !seen.start(with: name)
    }
    let keeping = overviews.filter(\.way.hasGate).map(\.server)
    guard isUnknown, !keeping.isEmpty else { return seen }
    let records = try await context.fleet(of: keeping).answers {
      (calls, _) throws(OppiError) in
      try await calls.recentRequestIDs()
    }
    for record in records { seen[record.server.id, default: []].formUnion(record.value ?? []) }
    return seen
  }

  /// The servers without a gate, on which tools run without approval unless an extension asks.
  var ungated: [PairedServer] {
    answers.compactMap(\.value).filter { !$0.way.hasGate }.map(\.server)
      .sorted { $0.name < $1.name }
  }

  var answered: Set<Fingerprint> {
    Set(answers.filter { $0.error == nil }.map(\.server.id))
  }

  /// The failure of the first server by name that could not be queried; `nil` if there is none.
  var firstFailure: OppiError? { answers.failures().first?.error }

  /// Returns the request of an id.
  ///
  /// - Throws: `OppiError.requestGone` if no request has the id; the failure of a server if
  ///   none answered.
  package func request(withID id: ListedRequest.ID) throws -> ListedRequest {
    if let row = rows.first(where: { $0.id == id }) { return row }
    if answered.isEmpty, let firstFailure { throw firstFailure }
    throw OppiError.requestGone(id: id.requestID)
  }

  /// Finds the request with an id, or with a unique prefix of it.
  ///
  /// The start of an id needs an answer of every server, because a decision depends on it, unless it
  /// is that of a request that was listed or shown before.
  ///
  /// - Throws: ``OppiError`` if none or several match; the failure of a server if the request
  ///   or another match may be there.
  func request(named name: String) throws -> ListedRequest {
    let placed = PlacedID(name)
    let name = placed.id
    let server = try placed.server.map { try answers.map(\.server).named($0).id }
    func isMeant(_ id: Fingerprint) -> Bool { server.map { $0 == id } ?? true }
    let unasked = answers.failures().filter { isMeant($0.server.id) }
    let search = IDSearch(
      items: rows.map { ($0.request.id, $0.id.serverID, $0) }.filter { isMeant($0.1) },
      unasked: unasked,
      seen: seen.filter { isMeant($0.key) },
      trust: .matches
    )
    switch search.find(name) {
    case .found(let row): return row
    case .several(let matches):
      throw OppiError.ambiguousRequest(
        name: name,
        candidates: matches.prefix(10).map(\.candidate),
        isOnSeveralServers: Set(matches.map(\.id.serverID)).count > 1
      )
    case .shared(let row, let server):
      throw OppiError.ambiguousRequest(
        name: name,
        candidates: [row.candidate, "\(server.qualified(row.request.id))  not reachable"],
        isOnSeveralServers: true
      )
    case .nothing:
      let isKnown = WireID.isWhole(name) || search.seen.start(with: name)
      throw isKnown ? OppiError.requestGone(id: name) : OppiError.noRequest(named: name)
    case .unconfirmed(let row, let error):
      throw OppiError.unconfirmedMatch(name: name, match: row.request.id, because: error)
    case .unasked:
      let servers = answers.map(\.server).sorted { $0.name < $1.name }
      throw OppiError.notFound("request", named: name, on: servers, without: unasked)
    }
  }
}

extension ListedRequest {
  /// The line of an error that describes it.
  var candidate: String { "\(server)/\(request.id)  \(approval.summary)" }
}
