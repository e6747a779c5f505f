// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The sessions of several servers as rows, and the errors of servers.
struct SessionsReport {
  /// The loaded sessions of a workspace.
  struct LoadedSessions {
    var server: PairedServer
    var workspace: String
    var loaded: Int
  }

  /// The most urgent first, then the latest.
  let rows: [SessionRow]
  /// The number of sessions before the limit.
  let total: Int
  let places: [LoadedSessions]
  let failures: FleetFailures

  /// Shows the first `limit` rows, sorted; counts the loaded sessions of `all`.
  init(
    _ rows: [SessionRow],
    limit: Int,
    of all: [SessionRow],
    failures: FleetFailures
  ) {
    // Rows are large; a server may have many.
    let sorted = rows.indices.sorted { rows[$0].status < rows[$1].status }
    let shortIDs = ShortIDs(all.map(\.status.id))
    self.rows = sorted.prefix(limit).map { index in
      var row = rows[index]
      row.shortID = shortIDs[row.status.id]
      return row
    }
    total = rows.count
    places = Self.places(all)
    self.failures = failures
  }

  private static func places(_ rows: [SessionRow]) -> [LoadedSessions] {
    var places: [[String]: LoadedSessions] = [:]
    for row in rows where row.status.isLoaded {
      let workspace = row.status.workspaceName ?? row.status.workspaceID ?? ""
      places[
        [row.server.id.text, row.status.workspaceID ?? ""],
        default: LoadedSessions(server: row.server, workspace: workspace, loaded: 0)
      ].loaded += 1
    }
    return places.values.sorted {
      ($0.server.name, $0.workspace) < ($1.server.name, $1.workspace)
    }
  }

  /// Warns of servers that could not be queried; fails with the first error if all failed.
  func report(in context: Context, isOnlyServer: Bool) -> Report {
    let cut = total - rows.count
    let more: [Report.Note] = cut > 0 ? [.hint("\(cut) more; list them with --limit \(total)")] : []
    var report = SessionRow.list.report(
      rows,
      in: context,
      isOnlyServer: isOnlyServer,
      others: Self.others.object(of: self),
      status: status(isOnlyServer: isOnlyServer, isVerbose: context.options.isVerbose),
      notes: more + failures.notes,
      failure: failures.failure
    )
    report.isLong = rows.count > 1000
    return report
  }

  private func status(isOnlyServer: Bool, isVerbose: Bool) -> StyledText? {
    guard !rows.isEmpty else { return failures.errors.isEmpty ? "no sessions" : nil }
    let told = isVerbose ? places : places.filter(isNearlyFull)
    guard !told.isEmpty else { return nil }
    let words = told.map { place in
      (isOnlyServer ? "" : "\(place.server.name)/") + "\(place.workspace) \(place.loaded)"
    }
    return StyledText("loaded sessions: \(words.joined(separator: ", "))", .dim)
  }

  /// Whether the workspace or its server is near its limit of loaded sessions.
  private func isNearlyFull(_ place: LoadedSessions) -> Bool {
    guard let limits = LoadLimits(of: place.server.dialect) else { return false }
    let all = places.filter { $0.server.id == place.server.id }.reduce(0) { $0 + $1.loaded }
    return LoadLimits.isNearly(place.loaded, limits.ofWorkspace)
      || LoadLimits.isNearly(all, limits.ofServer)
  }

  // MARK: - JSON

  static let others: JSONShape<SessionsReport> = [
    .number("total", "The number of sessions without --limit") { $0.total },
    .list("places", "The loaded sessions of each workspace", placeShape) { $0.places },
    .errors { $0.failures },
  ]

  private static let placeShape: JSONShape<LoadedSessions> = [
    .server { $0.server },
    .text("workspace", "The workspace's name") { $0.workspace },
    .number("loaded", "The number of its loaded sessions") { $0.loaded },
  ]
}

/// A session with its server, as a row of text or JSON.
struct SessionRow {
  let server: PairedServer
  let status: SessionStatus
  let now: Timestamp
  /// The start of its id that no other listed session has.
  var shortID = ""

  // MARK: - The list

  static let list = Listing<SessionRow>(
    "sessions",
    "The sessions, the most urgent first",
    shape,
    columns: SessionColumns.all(of: \.status, id: \.shortID, server: \.server.name),
    isFolded: false,
    pipe: [
      .text { $0.server.qualified($0.status.id) }, "phase", "goal",
      .text { $0.status.note(at: $0.now) }, "workspace.name", "lastActivity",
      .text { $0.status.costText }, .text { $0.status.changesText }, "model",
    ]
  )

  private static let shape: JSONShape<SessionRow> = [
    .text("id", "The session's id") { $0.status.id },
    .text("state", "As phase, but done where that is ended") { $0.status.phase.rawValue },
    .text("phase", SessionPhase.words) { $0.status.phase.word },
    .text("outcome", outcomes) { $0.status.outcome?.rawValue },
    .text("goal", "Its name, else the start of its first message, or null") { $0.status.goal },
    .workspace { row in
      WorkspaceLabel(
        server: row.server,
        id: row.status.workspaceID,
        name: row.status.workspaceName
      )
    },
    .server { $0.server },
    .text("model", "Its model, or null") { $0.status.model },
    .member("lastActivity", "When it was last active, or null") {
      $0.status.lastActivity.isKnown ? .string($0.status.lastActivity.iso8601) : .null
    },
    .bool("loaded", "Whether it is loaded on its server") { $0.status.isLoaded },
    .member("cost", "Its cost so far, in dollars, or null") {
      $0.status.cost.map(JSONValue.double) ?? .null
    },
    .object("changes", "Its file changes, if any", changesShape) { $0.status.changes },
    .optionalText("operation", "The agent's current operation, if known") {
      $0.status.turn?.operation
    },
    .optionalText("error", "Why its last turn failed, if it failed") { $0.status.turn?.failure },
    .member("pendingApprovals", "The ids of its pending approvals") {
      .array($0.status.approvals.filter { $0.needs == .approval }.map { .string($0.id) })
    },
    .texts("pendingQuestions", "The ids of its pending questions") { $0.status.questionIDs },
    .optionalText("question", "The agent's pending question, if known") { $0.status.questionText },
  ]

  private static let outcomes =
    "The outcome of its last turn: finished, empty, failed, stopped or unknown; null while one runs, "
    + "or if there was none"

  static let changesShape: JSONShape<Session.Changes> = [
    .number("files", "The number of changed files") { $0.files },
    .number("addedLines", "The number of added lines") { $0.addedLines },
    .number("removedLines", "The number of removed lines") { $0.removedLines },
  ]
}

/// The columns of sessions, in 'oppi sessions' and in the console.
enum SessionColumns {
  /// `status` has the state as it was at `lastSeen`, which is `nil` if it is as of now.
  static func all<Row>(
    of status: @escaping @Sendable (Row) -> SessionStatus,
    lastSeen: @escaping @Sendable (Row) -> Timestamp? = { _ in nil },
    id: @escaping @Sendable (Row) -> String,
    server: @escaping @Sendable (Row) -> String
  ) -> [ListColumn<Row>] {
    [
      .cell("STATE", .kept) { row, _ in mark(of: status(row), lastSeen: lastSeen(row)).line },
      .text("ID", .kept, .name, id),
      .age(.context) { status($0).lastActivity }
        .sorted(by: { status($0).lastActivity }, isDescending: true),
      .server(server).sorted(by: server),
      .text("WORKSPACE", .context) { status($0).workspaceName }
        .sorted { status($0).workspaceName ?? "" },
      .text("COST", .detail(2), .dim) { status($0).costText }.toTheRight
        .sorted(by: { status($0).cost ?? 0 }, isDescending: true),
      .text("CHANGES", .detail(1), .dim) { status($0).changesText }
        .sorted(by: { status($0).changes?.addedLines ?? 0 }, isDescending: true),
      .cell("TITLE", .decides) { title(of: status($0), lastSeen: lastSeen($0), at: $1.now) }
        .sorted { status($0).goal ?? "" },
    ]
  }

  /// The state; unknown if the session was at work when it was last seen.
  static func mark(of status: SessionStatus, lastSeen: Timestamp?) -> StatusMark {
    guard lastSeen != nil, status.isAtWork else { return StatusMark(status) }
    return StatusMark("?", "unknown", .unknown)
  }

  /// The details next to the goal, or when the session was last seen at work.
  static func note(of status: SessionStatus, lastSeen: Timestamp?, at now: Timestamp) -> String {
    guard let lastSeen, status.isAtWork else { return status.note(at: now) }
    return "last seen \(status.phase.word) \(RelativeTime.ago(lastSeen, at: now))"
  }

  /// The goal followed by the note.
  static func title(
    of status: SessionStatus,
    lastSeen: Timestamp?,
    at now: Timestamp
  ) -> StyledText {
    var line = StyledText(status.goal ?? "")
    let note = note(of: status, lastSeen: lastSeen, at: now)
    let style: Style = status.phase == .waiting && lastSeen == nil ? .warning : .dim
    if !note.isEmpty { line.append(line.isEmpty ? note : "  \(note)", style) }
    return line
  }
}

extension Timestamp {
  /// Whether a server reported this time; later than 1970-01-01.
  var isKnown: Bool { milliseconds > 86_400_000 }
}
