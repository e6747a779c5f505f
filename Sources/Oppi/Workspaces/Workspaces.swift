// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiRendering

/// `oppi workspaces`: the workspaces of all paired servers.
enum Workspaces {
  struct Options: Sendable, Equatable {
    var match: String?
    var isOffline = false
    var maxAge = Duration.zero
  }

  static let command: Command = Command(
    "workspaces",
    "List the workspaces of all paired servers",
    discussion: """
      Queries all servers at the same time, each for at most 5 s (or --timeout). For a server \
      that does not answer the cached list is shown, marked stale with its age.

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
      CommandExample("oppi workspaces", "List all workspaces"),
      CommandExample(
        "oppi workspaces --match api --json",
        "List workspaces with api in the name as JSON"
      ),
      CommandExample("oppi workspaces --offline", "List cached workspaces without network access"),
    ],
    exitStatuses: [0, 69, 75, 76, 77, 78],
    members: WorkspaceReport.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option("match", \.match, "Only workspaces with TEXT in their name"),
      .flag("offline", \.isOffline, "Show the cached list without querying servers"),
      .option("max-age", \.maxAge, "Use a cached list if it is younger than this"),
    ],
    run: run
  )
  .listing("workspaces")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    let query = context.workspaceQuery
    let listings =
      options.isOffline
      ? await query.cachedListings(of: servers)
      : await query.listings(
        of: servers,
        maxAge: options.maxAge,
        limit: context.options.timeout ?? Fleet.limit
      )
    // After an interruption the listings say nothing about the servers.
    try Task.checkCancellation()
    for listing in listings {
      let age = listing.ageSeconds.map { "\($0) s old" } ?? "no list"
      await context.console.detail("\(listing.server.name): \(listing.stateName), \(age)")
    }
    let unlisted = servers.filter { server in !listings.contains { $0.server.id == server.id } }
    for server in unlisted {
      await context.console.warn(
        "no cached list for \(server.name); query it with: oppi workspaces"
      )
    }
    return try await context.loop.offload(ifLong: listings.areLong) {
      WorkspaceReport(
        listings: listings,
        match: options.match,
        isOnlyServer: servers.count == 1
      )
      .report
    }
  }
}
