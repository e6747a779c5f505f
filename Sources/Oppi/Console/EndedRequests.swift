// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import Synchronization

/// Finds in the record of a server how requests ended that it no longer lists.
final class EndedRequests: Sendable {
  private struct Listing {
    var requests: [PermissionRequest] = []
    /// On the server's clock.
    var at = Timestamp(milliseconds: 0)
  }

  /// Requests that are no longer listed.
  private struct Search {
    var requests: [PermissionRequest]
    var server: PairedServer
    /// When they were last listed, on the server's clock.
    var listedAt: Timestamp
  }

  /// The latest entries of a record that are read.
  private static let limit = 50

  private let context: IntentContext
  private let last = Mutex(Listing())
  private let searches: AsyncStream<Search>
  private let post: AsyncStream<Search>.Continuation

  init(in context: IntentContext) {
    self.context = context
    (searches, post) = AsyncStream.makeStream()
  }

  /// Compares an overview with the previous one; does not wait for the record.
  func take(_ overview: ServerOverview) {
    let present = Listing(
      requests: overview.requests.compactMap { request in
        if case .permission(let permission) = request { permission } else { nil }
      },
      at: overview.at.moved(by: overview.clockOffset)
    )
    let last = last.withLock { last in
      defer { last = present }
      return last
    }
    let ids = Set(present.requests.map(\.id))
    let gone = last.requests.filter { !ids.contains($0.id) }
    guard overview.way == .permissions, !gone.isEmpty else { return }
    post.yield(Search(requests: gone, server: overview.server, listedAt: last.at))
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
