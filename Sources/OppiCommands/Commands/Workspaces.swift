// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi workspaces`: what can be asked, over all paired servers.
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
      All servers are asked at the same time, each for at most 5 s (or --timeout). A server that \
      does not answer is shown as it was last seen, marked stale with its age.

      A terminal shows each workspace's own id, which is the end of its composite id. In a pipe each \
      line has, with tabs between them: composite id, name, server, default model, state \
      (ok or stale), and description.

      What -w names is looked for in these ways, in this order, and the first that finds anything \
      decides:

        its composite id       sha256:…|iaOoCYKG, as a pipe gets it
        server/workspace       studio/api, or studio → api
        its name or its id     where only one server has it
        the start of its name  in any case of letters

      A name that fits several workspaces is an error that lists them; nothing is ever guessed. \
      Names are looked up in the cached lists when these are less than a day old; the composite id \
      needs no list and is best for crontabs and units. Without -w 'oppi ask' takes $OPPI_WORKSPACE, \
      else the workspace of the nearest folder above you (oppi config here NAME), else the setting \
      'workspace' (oppi config set workspace NAME), else the only workspace there is.
      """,
    examples: [
      CommandExample("oppi workspaces", "List them all"),
      CommandExample("oppi workspaces --match api --json", "Those with api in the name, as JSON"),
      CommandExample("oppi workspaces --offline", "What the cache knows, without the network"),
    ],
    exitStatuses: [0, 69, 75, 76, 77, 78],
    members: WorkspaceReport.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option("match", \.match, "Only those with TEXT in their name"),
      .flag("offline", \.isOffline, "Ask no server, show what is cached"),
      .option("max-age", \.maxAge, "Use a cached list that is younger than this"),
    ],
    run: run
  )

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
    // A question that was cut short says nothing of the servers.
    try Task.checkCancellation()
    for listing in listings {
      let age = listing.ageSeconds.map { "\($0) s old" } ?? "no list"
      await context.console.detail("\(listing.server.name): \(listing.stateName), \(age)")
    }
    let unlisted = servers.filter { server in !listings.contains { $0.server.id == server.id } }
    for server in unlisted {
      await context.console.warn(
        "no list of \(server.name) is cached; ask it with: oppi workspaces"
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
