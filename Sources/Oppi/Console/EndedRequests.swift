// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import Synchronization

/// Finds in the record of a server how requests ended that it no longer lists.
final class EndedRequests: Sendable {
  /// Requests that are no longer listed, and when they were last, on the server's clock.
  private typealias Search = (
    requests: [PermissionRequest], server: PairedServer, listedAt: Timestamp
  )

  /// The latest entries of a record that are read.
  private static let limit = 50

  private let context: IntentContext
  /// The last list of requests, and its time on the server's clock.
  private let last = Mutex<(requests: [PermissionRequest], at: Timestamp)?>(nil)
  private let searches: AsyncStream<Search>
  private let post: AsyncStream<Search>.Continuation

  init(in context: IntentContext) {
    self.context = context
    (searches, post) = AsyncStream.makeStream()
  }

  /// Compares an overview with the previous one; does not wait for the record.
  func take(_ overview: ServerOverview) {
    let present = (
      requests: overview.requests.compactMap(\.permission),
      at: overview.at.moved(by: overview.clockOffset)
    )
    let last = last.withLock { last in
      defer { last = present }
      return last
    }
    let ids = Set(present.requests.map(\.id))
    let gone = last?.requests.filter { !ids.contains($0.id) } ?? []
    guard overview.way == .permissions, let last, !gone.isEmpty else { return }
    post.yield((requests: gone, server: overview.server, listedAt: last.at))
  }

  /// Passes the recorded decisions on requests to `tell`, by the ids of the requests, until the task
  /// is cancelled.
  func run(_ tell: @Sendable ([String: AuditEntry]) -> Void) async {
    for await search in searches {
      guard let record = await record(of: search.server) else { continue }
      let entries = RecordedDecisions.entries(
        of: search.requests,
        in: record,
        listedAt: search.listedAt
      )
      if !entries.isEmpty { tell(entries) }
    }
  }

  private func record(of server: PairedServer) async -> [AuditEntry]? {
    do {
      let api = try await context.connections.client(for: server)
      return try await api.within(context.answerLimit).audit(limit: Self.limit, sessionID: nil)
    } catch {
      await context.reporter.detail("could not read the record of decisions", because: error)
      return nil
    }
  }
}
