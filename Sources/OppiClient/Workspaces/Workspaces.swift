// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiTerminal
import OppiWire

/// `oppi workspaces`: the workspaces of all paired servers.
package enum Workspaces {
  struct Options: Sendable, Equatable {
    var match: String?
    var isOffline = false
    var maxAge = Duration.zero
  }

  package static let command: Command = Command(
    "workspaces",
    "List the workspaces of all paired servers",
    discussion: """
      Queries all servers at the same time, each for at most 5 s (or --timeout). For a server \
      that does not answer the cached list is shown, marked stale with its age. If all servers \
      refuse this machine, the command fails with status 77.

      A terminal shows each workspace's own id, the last part of its composite id. In a pipe \
      each line has, separated by tabs: composite id, name, server, default model, state (ok or \
      stale), and description.

      The value of -w is matched in this order; the first match is used:

        its composite id       sha256:…|iaOoCYKG, as printed in a pipe
        server/workspace       studio/api, or studio → api
        its name or its id     if only one server has it
        the start of its name  ignoring case

      If a name matches several workspaces, the command fails and lists them. Names are looked \
      up in the cached lists if these are less than a day old; a composite id needs no lookup \
      and is recommended for crontabs and units.

      Without -w every command that creates a session uses the default workspace: \
      $OPPI_WORKSPACE, else that of the nearest folder (oppi config here NAME), else the setting \
      'workspace' (oppi config set workspace NAME). If none is set, 'oppi ask' uses the only \
      workspace; 'oppi new' and 'oppi chat' use the last one, else the first of the first server.
      """,
    examples: [
      ("oppi workspaces", "List all workspaces"),
      ("oppi workspaces --match api --json", "List workspaces with api in the name as JSON"),
      ("oppi workspaces --offline", "List cached workspaces without network access"),
    ],
    exitStatuses: [0, 69, 75, 76, 77, 78],
    members: others.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option("match", \.match, "Only workspaces with TEXT in their name"),
      .flag("offline", \.isOffline, "Show the cached list without querying servers"),
      .option("max-age", \.maxAge, "Use a cached list if it is younger than this"),
    ],
    run: run
  )
  .listing([Row.list])

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.pairedServers()
    let query = context.workspaceQuery
    let listings =
      options.isOffline
      ? await query.cachedListings(of: servers)
      : await query.listings(
        of: servers,
        maxAge: options.maxAge,
        limit: context.options.timeout ?? ServerCalls.limit
      )
    // After an interruption the listings say nothing about the servers.
    try Task.checkCancellation()
    for listing in listings {
      let age = listing.ageSeconds.map { "\($0) s old" } ?? "no list"
      await context.output.detail("\(listing.server.name): \(listing.stateName), \(age)")
    }
    let unlisted = servers.filter { server in !listings.contains { $0.server.id == server.id } }
    for server in unlisted {
      await context.output.warn(
        "no cached list for \(server.name); query it with: oppi workspaces"
      )
    }
    return try await context.loop.offload(ifLong: listings.areLong) {
      report(
        listings,
        match: options.match?.lowercased(),
        isOnlyServer: servers.count == 1,
        in: context
      )
    }
  }

  /// Warns of servers that could not be queried; fails with the first error if there is no listing.
  private static func report(
    _ listings: [WorkspaceListing],
    match: String?,
    isOnlyServer: Bool,
    in context: Context
  ) -> Report {
    let rows = listings.flatMap { listing in
      listing.workspaces
        .filter { workspace in match.map { workspace.name.lowercased().contains($0) } ?? true }
        .map { Row(listing: listing, workspace: $0) }
    }
    let hasFailed = !listings.isEmpty && listings.allSatisfy(\.isFailed)
    let errors = listings.compactMap(\.error)
    var report = Row.list.report(
      rows,
      in: context,
      isOnlyServer: isOnlyServer,
      others: others.object(of: listings),
      status: rows.isEmpty && errors.isEmpty && !listings.isEmpty ? "no workspaces" : nil,
      notes: errors.dropFirst(hasFailed ? 1 : 0).flatMap { error in
        [.warning(error.message)] + error.hints.map(Report.Note.hint)
      },
      failure: hasFailed ? errors.first : nil
    )
    report.isLong = listings.areLong
    return report
  }

  private struct Row {
    let listing: WorkspaceListing
    let workspace: Workspace

    var id: String {
      ServerWorkspace(server: listing.server, workspace: workspace).reference?.description ?? ""
    }

    static let list = Listing<Row>(
      "workspaces",
      "The workspaces of all servers",
      [
        .text("id", "Its composite id") { $0.id },
        .text("name", "Its name") { $0.workspace.name },
        .text("workspaceId", "Its id on the server") { $0.workspace.id },
        .text("serverId", "The server's identity") { $0.listing.server.id.text },
        .text("serverName", "The server") { $0.listing.server.name },
        .text("icon", "Its icon, or null") { $0.workspace.icon },
        .text("description", "Its description, or null") { $0.workspace.description },
        .text("defaultModel", "The model of new sessions, or null") { $0.workspace.defaultModel },
        .bool(
          "stale",
          "Whether the list is from the cache because the server could not be queried"
        ) { $0.listing.isStale },
        .number("ageSeconds", "The age of the list") { $0.listing.ageSeconds },
      ],
      columns: [
        .text("NAME", .kept, .name) { $0.workspace.name },
        .server { $0.listing.server.name },
        .text("STATE", .kept, .warning) { $0.listing.staleNote },
        .text("ID", .kept, .dim) { $0.workspace.id },
        .text("DESCRIPTION", .decides, .dim) { $0.workspace.description },
      ],
      isFolded: false,
      pipe: [
        "id", "name", "serverName", "defaultModel", .text { $0.listing.stateName }, "description",
      ]
    )
  }

  private static let others: JSONShape<[WorkspaceListing]> = [
    .list("servers", "The servers and the results of querying them", serverShape) { $0 }
  ]

  private static let serverShape: JSONShape<WorkspaceListing> = [
    .text("id", "Its identity") { $0.server.id.text },
    .text("name", "Its local name") { $0.server.name },
    .text("state", "ok, stale, unreachable or unauthorized") { $0.stateName },
    .optionalText("error", "Why it could not be queried") { $0.error?.message },
  ]
}

extension WorkspaceListing {
  /// Whether the server could not be queried and has no list, or refuses this machine, to which the
  /// cached list is of no use.
  fileprivate var isFailed: Bool {
    error.map { ageSeconds == nil || $0.code.status == .refused } ?? false
  }

  /// `ok`, `stale`, `unreachable` or `unauthorized`.
  var stateName: String {
    guard let error else { return "ok" }
    if isStale { return "stale" }
    return error.code.status == .refused ? "unauthorized" : "unreachable"
  }

  fileprivate var staleNote: String {
    guard isStale, let ageSeconds else { return "" }
    return "stale, \(RelativeTime.age(seconds: ageSeconds)) old"
  }
}
