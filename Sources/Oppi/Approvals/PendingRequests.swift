// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// The pending requests of a server: tool calls that its gate holds, or dialogs of its extensions.
struct PendingRequests: Sendable {
  var requests: [HumanRequest] = []
  /// How far the server's clock is ahead of this machine's; `nil` if the server does not report its
  /// time.
  var clockOffset: Duration?
  /// What asks a human on this server, by what it answered.
  var way: Dialect.Requests
  /// The sessions, if they had to be listed.
  var sessions: [Session]?

  /// The most sessions whose dialogs are read; far above the sessions that a server loads.
  private static let sessionLimit = 1000
  /// The most connections to one server.
  private static let connectionLimit = 6

  /// Reads the pending requests of a server.
  ///
  /// Dialogs are read only of sessions that have some, by the numbers in `list`, or in another list
  /// if that has none.
  ///
  /// - Throws: If the server cannot be queried; 404 if it speaks another dialect than it is known to.
  static func read(
    _ api: IntentAPIClient,
    in list: IntentAPIClient.SessionList?,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> PendingRequests {
    guard api.dialect?.requests != .dialogs else {
      return try await dialogs(api, in: list, over: connection, until: deadline)
    }
    do {
      let pending = try await api.pendingPermissions(over: connection, until: deadline)
      return PendingRequests(
        requests: pending.requests.map(HumanRequest.permission),
        clockOffset: pending.clockOffset,
        way: .permissions
      )
    } catch  where api.dialect == nil && error.isMissingRoute {
      guard let info = try await api.info(over: connection, until: deadline) else { throw error }
      // A server that tells its dialect is queried again; another one has no gate.
      guard Dialect.detected(by: info, credential: .bearer) == nil else {
        throw error
      }
      return PendingRequests(way: .dialogs)
    }
  }

  private static func dialogs(
    _ api: IntentAPIClient,
    in list: IntentAPIClient.SessionList?,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> PendingRequests {
    var pending = PendingRequests(way: .dialogs)
    var all = list?.sessions ?? []
    if list?.listing.countsDialogs != true {
      all = try await api.sessionList(.loaded, over: connection, until: deadline).sessions
      pending.sessions = all
    }
    let asking = all.filter { $0.pendingCount > 0 }.prefix(sessionLimit)
    guard !asking.isEmpty else { return pending }
    let results = await api.perform(
      Array(asking.enumerated()),
      atMost: connectionLimit,
      over: connection
    ) { job, connection in
      await Look.at(job.element, job.offset, api, over: connection, until: deadline)
    }
    for look in results.sorted(by: { $0.place < $1.place }) {
      // Without one of the lists, a request may be missing, or a prefix of its id not be unique.
      let list = try look.result.get()
      pending.requests += list.dialogs.map(HumanRequest.question)
      pending.clockOffset = pending.clockOffset ?? look.clockOffset
    }
    return pending
  }

  /// The dialogs of a session.
  private struct Look: Sendable {
    var place: Int
    var result: Result<DialogList, IntentError>
    var clockOffset: Duration?

    static func at(
      _ session: Session,
      _ place: Int,
      _ api: IntentAPIClient,
      over connection: HTTPConnection,
      until deadline: EventLoop.Instant
    ) async -> Look {
      let before = api.loop.timestamp()
      do throws(IntentError) {
        var list = try await api.dialogs(of: session.id, over: connection, until: deadline)
        for index in list.dialogs.indices { list.dialogs[index].workspaceID = session.workspaceID }
        let offset = list.serverNow.map {
          ClockOffset.estimate(
            serverTime: $0.milliseconds,
            sentAt: before,
            receivedAt: api.loop.timestamp()
          )
        }
        return Look(place: place, result: .success(list), clockOffset: offset)
      } catch {
        return Look(place: place, result: .failure(error))
      }
    }
  }
}
