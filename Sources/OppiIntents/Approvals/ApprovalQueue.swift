// SPDX-License-Identifier: MIT

package import OppiModel
import OppiSystem

/// The pending requests of several servers.
package struct ApprovalQueue: Sendable {
  /// Highest risk first, then earliest expiry.
  package let rows: [ListedRequest]
  package let answers: [Fleet.Answer<ServerOverview>]
  /// The requests that were pending earlier, if a server could not be queried.
  var seen: SeenIDs = [:]

  /// Queries servers for their pending requests.
  ///
  /// With `depth` `.lists` the rows have their sessions; `.requests` saves those calls.
  ///
  /// - Throws: If no server is paired, or the task is cancelled.
  package static func ask(
    _ fleet: Fleet,
    _ depth: OverviewQuery.Depth = .lists,
    in context: IntentContext
  ) async throws -> ApprovalQueue {
    guard !fleet.servers.isEmpty else { throw IntentError.notPaired }
    let answers = try await OverviewQuery(fleet).answers(depth, known: context.knownTurns)
    let seen = answers.contains { $0.failure != nil } ? context.seenRequests : [:]
    if depth != .requests { context.remember(answers.compactMap { try? $0.result.get() }) }
    let now = context.now()
    let cached = await context.cache.load()
    let rows = answers.flatMap { answer -> [ListedRequest] in
      guard case .success(let overview) = answer.result else { return [] }
      let workspaces = cached[overview.server.id]?.workspaces ?? []
      return ListedRequest.all(in: overview, at: now).map { row in
        var row = row
        let id = row.request.workspaceID ?? row.session?.workspaceID
        row.workspace = workspaces.first { $0.id == id }
        return row
      }
    }
    return ApprovalQueue(
      rows: rows.sorted { $0.approval < $1.approval },
      answers: answers,
      seen: seen
    )
  }

  /// The servers without a gate, on which tools run without approval unless an extension asks.
  package var ungated: [PairedServer] {
    answers.compactMap { answer in
      guard case .success(let overview) = answer.result, !overview.way.hasGate else { return nil }
      return overview.server
    }
    .sorted { $0.name < $1.name }
  }

  package var answered: Set<Fingerprint> {
    Set(answers.filter { $0.failure == nil }.map(\.server.id))
  }

  /// The failure of the first server by name that could not be queried; `nil` if there is none.
  package var firstFailure: IntentError? { answers.failures().first?.error }

  /// Returns the request of an id.
  ///
  /// - Throws: `ApprovalError.requestGone` if no request has the id; the failure of a server if
  ///   none answered.
  package func request(withID id: BoardRequest.ID) throws -> ListedRequest {
    if let row = rows.first(where: { $0.id == id }) { return row }
    if answered.isEmpty, let firstFailure { throw firstFailure }
    throw ApprovalError.requestGone(id: id.requestID)
  }

  /// Finds the request with an id, or with a unique prefix of it.
  ///
  /// The start of an id needs an answer of every server, because a decision depends on it.
  ///
  /// - Throws: ``ApprovalError`` if none or several match; the failure of a server if the request
  ///   or another match may be there.
  package func request(named name: String) throws -> ListedRequest {
    let items = rows.map { ($0.request.id, $0) }
    switch IDSearch(items: items, unasked: answers.failures(), seen: seen).find(name) {
    case .found(let row): return row
    case .several(let matches):
      throw ApprovalError.ambiguousRequest(
        name: name,
        candidates: matches.prefix(10).map { row in
          "\(row.request.id)  \(row.server.name)  \(row.approval.summary)"
        },
        isOnSeveralServers: Set(matches.map(\.server.id)).count > 1
      )
    case .nothing:
      let isKnown = WireID.isWhole(name) || seen.have(name) { _ in true }
      throw isKnown ? ApprovalError.requestGone(id: name) : ApprovalError.noRequest(named: name)
    case .unconfirmed(let row, let error):
      throw IntentError.unconfirmedMatch(name: name, match: row.request.id, because: error)
    case .unasked(let error): throw error
    }
  }
}
