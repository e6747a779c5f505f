// SPDX-License-Identifier: MIT

import CommandTable
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

  static let command = CommandSpec<Context>(
    "workspaces",
    "List the workspaces of all paired servers",
    discussion: """
      All servers are asked at the same time, each for at most 5 s (or --timeout). A server that \
      does not answer is shown as it was last seen, marked stale with its age.

      Where a workspace is asked for by -w, these are tried in turn, and the first that fits \
      anything decides:

        its composite id       sha256:…|iaOoCYKG, as this command prints it
        server/workspace       studio/api, or studio → api
        its name or its id     where only one server has it
        the start of its name  in any case of letters

      A name that fits several workspaces is an error that lists them; nothing is ever guessed. \
      Names are looked up in the cached lists when these are less than a day old; the composite id \
      needs no list and is best for crontabs and units. Without -w it is $OPPI_WORKSPACE, then the \
      setting 'workspace' (oppi config set workspace NAME), then the only workspace there is.
      """,
    examples: [
      CommandExample("oppi workspaces", "List them all"),
      CommandExample("oppi workspaces --match api --json", "Those with api in the name, as JSON"),
      CommandExample("oppi workspaces --offline", "What the cache knows, without the network"),
    ],
    exitStatuses: [0, 69, 75, 77, 78],
    group: Group.asking,
    options: Options(),
    arguments: [
      .option("match", \.match, "Only those with TEXT in their name"),
      .flag("offline", \.isOffline, "Ask no server, show what is cached"),
      .option("max-age", \.maxAge, "Take a cached list that is younger"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    let query = context.workspaceQuery
    let listings =
      options.isOffline
      ? query.cachedListings(of: servers)
      : await query.listings(
        of: servers,
        maxAge: options.maxAge,
        limit: context.options.timeout ?? WorkspaceQuery.limit
      )
    for listing in listings {
      let age = listing.ageSeconds.map { "\($0) s old" } ?? "no list"
      context.console.detail("\(listing.server.name): \(listing.stateName), \(age)")
    }
    let report = WorkspaceReport(
      listings: listings,
      match: options.match,
      isOnlyServer: servers.count == 1
    )
    if context.console.policy.isJSON {
      try context.console.print(report.json)
    } else {
      try context.console.print(report.table(forEyes: context.console.policy.isForEyes))
      for listing in listings {
        guard let failure = listing.error.map({ OppiError($0) }) else { continue }
        context.console.warn(failure.message)
        for hint in failure.hints { context.console.status(StyledText("  hint: \(hint)")) }
      }
    }
    let isAnythingListed = listings.contains { listing in
      if case .failed = listing.state { false } else { true }
    }
    guard isAnythingListed else {
      guard let error = listings.lazy.compactMap(\.error).first else { return }
      if context.console.policy.isJSON { context.console.report(OppiError(error)) }
      throw ReportedStatus(status: OppiError(error).code.status)
    }
    let unlisted = servers.filter { server in !listings.contains { $0.server.id == server.id } }
    for server in unlisted {
      context.console.warn("no list of \(server.name) is cached; ask it with: oppi workspaces")
    }
    if report.rows.isEmpty, unlisted.isEmpty { context.console.status("no workspaces") }
  }
}

/// Listings as rows, for people and for programs.
struct WorkspaceReport {
  /// A workspace with the listing that it is from.
  struct Row {
    var listing: WorkspaceListing
    var workspace: Workspace
  }

  let rows: [Row]
  private let listings: [WorkspaceListing]
  private let isOnlyServer: Bool

  init(listings: [WorkspaceListing], match: String?, isOnlyServer: Bool) {
    self.listings = listings
    self.isOnlyServer = isOnlyServer
    rows = listings.flatMap { listing in
      listing.workspaces
        .filter { workspace in
          match.map { workspace.name.lowercased().contains($0.lowercased()) } ?? true
        }
        .map { Row(listing: listing, workspace: $0) }
    }
  }

  /// For eyes a name, its server where there are several, what it is, and its id; for programs the
  /// composite id first.
  func table(forEyes: Bool) -> Table {
    var table = Table()
    for row in rows {
      let (listing, workspace) = (row.listing, row.workspace)
      let id = StyledText(row.id, .dim)
      let server = StyledText(listing.server.name)
      guard forEyes else {
        table.add([
          id, StyledText(workspace.name), server, StyledText(workspace.defaultModel ?? ""),
          StyledText(listing.stateName), StyledText(workspace.description ?? ""),
        ])
        continue
      }
      table.add([
        StyledText(workspace.name, .name),
        isOnlyServer ? StyledText() : server,
        StyledText(listing.staleNote, .warning),
        id,
        StyledText(workspace.description ?? "", .dim),
      ])
    }
    return table
  }

  var json: JSONValue {
    [
      "workspaces": .array(rows.map(\.json)),
      "servers": .array(
        listings.map { listing in
          .members([
            "id": .string(listing.server.id.text),
            "name": .string(listing.server.name),
            "state": .string(listing.stateName),
            "error": listing.error.map { .string(OppiError($0).message) },
          ])
        }
      ),
    ]
  }
}

extension WorkspaceReport.Row {
  var id: String {
    ServerWorkspace(server: listing.server, workspace: workspace).reference?.description ?? ""
  }

  var json: JSONValue {
    .members([
      "id": .string(id),
      "name": .string(workspace.name),
      "workspaceId": .string(workspace.id),
      "serverId": .string(listing.server.id.text),
      "serverName": .string(listing.server.name),
      "icon": workspace.icon.map(JSONValue.string) ?? .null,
      "description": workspace.description.map(JSONValue.string) ?? .null,
      "defaultModel": workspace.defaultModel.map(JSONValue.string) ?? .null,
      "stale": .bool(listing.isStale),
      "ageSeconds": listing.ageSeconds.map { .integer(Int64($0)) } ?? .null,
    ])
  }
}

extension WorkspaceListing {
  var isStale: Bool {
    if case .stale = state { true } else { false }
  }

  /// `ok`, `stale`, `unreachable` or `unauthorized`.
  var stateName: String {
    switch state {
    case .live, .cached: "ok"
    case .stale: "stale"
    case .failed(let error):
      OppiError(error).code.status == .refused ? "unauthorized" : "unreachable"
    }
  }

  fileprivate var staleNote: String {
    guard isStale, let ageSeconds else { return "" }
    return "stale, \(RelativeTime.age(seconds: ageSeconds)) old"
  }
}
