// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// One server's workspaces, and how current they are.
struct WorkspaceListing: Sendable {
  var server: PairedServer
  var workspaces: [Workspace] = []
  /// The age of the list: 0 for a live one, `nil` without a list.
  var ageSeconds: Int?
  /// Why the server could not be queried, so that the list, if any, is from the cache.
  var error: OppiError?

  /// Whether it is from the cache because the server could not be queried.
  var isStale: Bool { error != nil && ageSeconds != nil }

  var serverWorkspaces: [ServerWorkspace] {
    workspaces.map { ServerWorkspace(server: server, workspace: $0) }
  }
}

struct WorkspaceQuery: Sendable {
  let connections: Connections
  let cache: WorkspaceCache

  /// Queries all servers concurrently, and returns their listings sorted by server name.
  ///
  /// Uses a cached list younger than `maxAge` instead of a query; each server has `limit` to
  /// answer. The listings of servers that do not answer come from the cache.
  func listings(
    of servers: [PairedServer],
    maxAge: Duration = .zero,
    limit: Duration = Fleet.limit
  ) async -> [WorkspaceListing] {
    let cached = await cache.load()
    var listings: [WorkspaceListing] = []
    var asked: [PairedServer] = []
    for server in servers {
      let known = listing(of: server, from: cached[server.id])
      if let age = known.ageSeconds, Duration.seconds(age) < maxAge {
        listings.append(known)
      } else {
        asked.append(server)
      }
    }
    var live: [Fingerprint: [Workspace]] = [:]
    await Fleet(asked, connections: connections).ask(within: limit) {
      (calls, _) throws(OppiError) in
      try await calls.listWorkspaces()
    } onAnswer: { answer in
      let server = answer.server
      switch answer.result {
      case .success(let workspaces):
        live[server.id] = workspaces
        listings.append(.init(server: server, workspaces: workspaces, ageSeconds: 0))
      case .failure(let error):
        var known = listing(of: server, from: cached[server.id])
        known.error = error
        listings.append(known)
      }
    }
    let now = connections.loop.timestamp()
    await cache.store(live.mapValues { .init(fetchedAt: now, workspaces: $0) })
    return await sorted(listings)
  }

  /// Returns the cached listings without querying a server, all or those with a workspace of the
  /// given name or id; omits servers without a cached list.
  func cachedListings(
    of servers: [PairedServer],
    naming word: String? = nil
  ) async -> [WorkspaceListing] {
    let cached = if let word { await cache.load(naming: word) } else { await cache.load() }
    let known = servers.filter { cached[$0.id] != nil }
    return await sorted(known.map { listing(of: $0, from: cached[$0.id]) })
  }

  private func listing(
    of server: PairedServer,
    from cached: WorkspaceCache.Entry?
  ) -> WorkspaceListing {
    guard let cached else { return WorkspaceListing(server: server) }
    let age = cached.fetchedAt.age(at: connections.loop.timestamp())
    return WorkspaceListing(server: server, workspaces: cached.workspaces, ageSeconds: age)
  }

  /// Sorts by server name and workspace name, without regard to case; returns the listings unsorted
  /// if the task was cancelled.
  private func sorted(_ listings: [WorkspaceListing]) async -> [WorkspaceListing] {
    let sorted = try? await connections.loop.offload(ifLong: listings.areLong) {
      listings.map { listing in
        var listing = listing
        listing.workspaces = listing.workspaces.map { (name: $0.name.lowercased(), workspace: $0) }
          .sorted { ($0.name, $0.workspace.id) < ($1.name, $1.workspace.id) }
          .map(\.workspace)
        return listing
      }
      .sorted {
        ($0.server.name.lowercased(), $0.server.id.text)
          < ($1.server.name.lowercased(), $1.server.id.text)
      }
    }
    return sorted ?? listings
  }
}

extension [WorkspaceListing] {
  /// Whether going through all workspaces takes milliseconds.
  var areLong: Bool { reduce(0) { $0 + $1.workspaces.count } > 1000 }
}
