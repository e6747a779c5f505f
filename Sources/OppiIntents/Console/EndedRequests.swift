// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import Synchronization

/// Finds in the records of servers how requests ended that are no longer listed.
final class EndedRequests: Sendable {
  private struct Listing {
    var requests: [PermissionRequest]
    /// On the server's clock.
    var at: Timestamp
  }

  /// The latest entries of a record that are read.
  private static let limit = 50

  private let context: IntentContext
  private let listings = Mutex<[Fingerprint: Listing]>([:])

  init(in context: IntentContext) { self.context = context }

  /// The entries of requests that the previous overview of the server had, by their ids; none if the
  /// server keeps no record, or cannot be queried.
  func entries(since overview: ServerOverview) async -> [String: AuditEntry] {
    let present = Listing(
      requests: overview.requests.compactMap { request in
        if case .permission(let permission) = request { permission } else { nil }
      },
      at: overview.at.moved(by: overview.clockOffset)
    )
    let last = listings.withLock { listings in
      defer { listings[overview.server.id] = present }
      return listings[overview.server.id]
    }
    let ids = Set(present.requests.map(\.id))
    guard let last, overview.way == .permissions else { return [:] }
    let gone = last.requests.filter { !ids.contains($0.id) }
    guard !gone.isEmpty, let record = await record(of: overview.server) else { return [:] }
    return RecordedDecisions.entries(of: gone, in: record, listedAt: last.at)
  }

  private func record(of server: PairedServer) async -> [AuditEntry]? {
    do {
      let api = try await context.connections.client(for: server)
      let deadline = context.loop.now + context.answerLimit
      return try await api.audit(limit: Self.limit, sessionID: nil, until: deadline)
    } catch {
      await context.reporter.detail("could not read the record of decisions", because: error)
      return nil
    }
  }
}
