// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// One server's workspaces, and how current they are.
struct WorkspaceListing: Sendable {
  /// The source of a listing.
  enum State: Sendable {
    case live
    /// From the cache, as requested or because the list is recent enough.
    case cached
    /// From the cache, because the server could not be queried.
    case stale(OppiError)
    /// The server could not be queried, and the cache has no list.
    case failed(OppiError)
  }

  var server: PairedServer
  var workspaces: [Workspace]
  var state: State
  /// The age of the list: 0 for a live one, `nil` without a list.
  var ageSeconds: Int?

  var serverWorkspaces: [ServerWorkspace] {
    workspaces.map { ServerWorkspace(server: server, workspace: $0) }
  }

  var error: OppiError? {
    switch state {
    case .live, .cached: nil
    case .stale(let error), .failed(let error): error
    }
  }
}

struct WorkspaceQuery: Sendable {
  private let connections: Connections
  private let cache: WorkspaceCache
  private let now: @Sendable () -> Timestamp

  init(
    connections: Connections,
    cache: WorkspaceCache,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.connections = connections
    self.cache = cache
    self.now = now
  }

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
      if let entry = cached[server.id], Duration.seconds(age(of: entry)) < maxAge {
        listings.append(listing(of: server, from: entry, state: .cached))
      } else {
        asked.append(server)
      }
    }
    await Fleet(asked, connections: connections).ask(within: limit) {
      (calls, _) throws(OppiError) in
      try await calls.listWorkspaces()
    } onAnswer: { answer in
      let entry = cached[answer.server.id]
      listings.append(listing(of: answer.server, answer.result, cached: entry))
    }
    await remember(listings)
    return await sorted(listings)
  }

  /// Returns the cached listings without querying a server, all or those with a workspace of the
  /// given name or id; omits servers without a cached list.
  func cachedListings(
    of servers: [PairedServer],
    naming word: String? = nil
  ) async -> [WorkspaceListing] {
    let cached = if let word { await cache.load(naming: word) } else { await cache.load() }
    return await sorted(
      servers.compactMap { server in
        cached[server.id].map { listing(of: server, from: $0, state: .cached) }
      }
    )
  }

  private func listing(
    of server: PairedServer,
    _ result: Result<[Workspace], OppiError>,
    cached: WorkspaceCache.Entry?
  ) -> WorkspaceListing {
    switch (result, cached) {
    case (.success(let workspaces), _):
      WorkspaceListing(server: server, workspaces: workspaces, state: .live, ageSeconds: 0)
    case (.failure(let error), let cached?):
      listing(of: server, from: cached, state: .stale(error))
    case (.failure(let error), nil):
      WorkspaceListing(server: server, workspaces: [], state: .failed(error))
    }
  }

  private func listing(
    of server: PairedServer,
    from cached: WorkspaceCache.Entry,
    state: WorkspaceListing.State
  ) -> WorkspaceListing {
    WorkspaceListing(
      server: server,
      workspaces: cached.workspaces,
      state: state,
      ageSeconds: age(of: cached)
    )
  }

  private func age(of entry: WorkspaceCache.Entry) -> Int {
    max(0, now().seconds - entry.fetchedAt.seconds)
  }

  private func remember(_ listings: [WorkspaceListing]) async {
    var fresh: [Fingerprint: WorkspaceCache.Entry] = [:]
    for listing in listings {
      guard case .live = listing.state else { continue }
      fresh[listing.server.id] = WorkspaceCache.Entry(
        fetchedAt: now(),
        workspaces: listing.workspaces
      )
    }
    await cache.store(fresh)
  }

  /// Sorts by server name and workspace name; returns the listings unsorted if the task was
  /// cancelled.
  private func sorted(_ listings: [WorkspaceListing]) async -> [WorkspaceListing] {
    let sorted = try? await connections.loop.offload(ifLong: listings.areLong) {
      listings.map { listing in
        var listing = listing
        listing.workspaces = listing.workspaces.sorted { (name: $0.name, id: $0.id) }
        return listing
      }
      .sorted { ($0.server.name, $0.server.id.text) }
    }
    return sorted ?? listings
  }
}

extension [WorkspaceListing] {
  /// Whether going through all workspaces takes milliseconds.
  var areLong: Bool { reduce(0) { $0 + $1.workspaces.count } > 1000 }
}

extension Array {
  /// Sorts by name without regard to case, then by id.
  fileprivate func sorted(by key: (Element) -> (name: String, id: String)) -> [Element] {
    map { element in
      let (name, id) = key(element)
      return (name: name.lowercased(), id: id, element: element)
    }
    .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    .map(\.element)
  }
}
