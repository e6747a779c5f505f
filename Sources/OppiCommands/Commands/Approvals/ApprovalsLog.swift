// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi approvals log`: past decisions, from the servers' own records.
enum ApprovalsLog {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isComplete = false
    var limit = 30
  }

  private struct Row {
    var server: PairedServer
    var entry: AuditEntry

    /// Whether a rule allowed the call, as in most entries.
    var isRoutine: Bool { entry.isAllowed && entry.decidedBy == "policy" }

    private var place: String { "\(server.name)/\(entry.sessionID ?? "")" }

    static let roles: [TableColumn] = [.detail(1), .kept, .context, .detail(2), .decides]

    func cells(now: Timestamp) -> [StyledText] {
      [
        StyledText(RelativeTime.age(seconds: entry.at.age(at: now)), .dim),
        entry.isAllowed ? StyledText("allowed", .success) : StyledText("denied", .error),
        StyledText(entry.decidedBy + (entry.scope.map { " (\($0))" } ?? "")),
        StyledText(place, .dim),
        StyledText("\(entry.tool): \(entry.summary)"),
      ]
    }

    var pipeCells: [String] {
      [
        entry.at.iso8601, entry.isAllowed ? "allow" : "deny", entry.decidedBy, entry.scope ?? "",
        place, entry.tool, entry.summary,
      ]
    }
  }

  static let command: Command = Command(
    "log",
    "List past decisions on tool calls",
    discussion: """
      Lists the records of all paired servers, the latest first: your decisions, expired \
      requests, and calls that rules denied. With --all also calls that rules allowed. Today's \
      servers hold no calls for approval and keep no records; this is a warning, and a failure only \
      if no other server has records.

      In a pipe each line has, separated by tabs: time, allow or deny, decided by (user, \
      timeout, policy or extension_lost), scope, server/session, tool, and call.
      """,
    examples: [CommandExample("oppi approvals log --limit 5", "List the last decisions")],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .session(\.session, "Only decisions of this session"),
      .flag("all", \.isComplete, "Include calls that rules allowed"),
      .option("limit", placeholder: "N", \.limit, "Show at most N decisions, up to 500"),
    ],
    validate: { (options) throws(UsageError) in
      guard (1...500).contains(options.limit) else {
        throw UsageError(.custom("--limit expects 1 to 500"))
      }
    },
    run: run
  )
  .listing("log")

  /// High, because most entries of a record are calls that rules allowed.
  private static let askedFor = 500

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var fleet = try context.fleet()
    guard !fleet.servers.isEmpty else { throw IntentError.notPaired }
    var sessionID: String?
    if let name = options.session {
      let session = try await context.session(named: name)
      fleet = context.fleet(of: [session.server])
      sessionID = session.id
    }
    let limit = options.isComplete ? options.limit : askedFor
    let answers = try await fleet.answers { [sessionID] (client, _, deadline) throws(IntentError) in
      try await client.audit(limit: limit, sessionID: sessionID, until: deadline)
    }
    var rows = answers.flatMap { answer -> [Row] in
      guard case .success(let entries?) = answer.result else { return [] }
      return entries.map { Row(server: answer.server, entry: $0) }
    }
    if !options.isComplete { rows.removeAll { $0.isRoutine } }
    rows.sort { $0.entry.at > $1.entry.at }
    let failures = FleetFailures(answers) { $0.auditError }
    return report(Array(rows.prefix(options.limit)), failures, now: context.now())
  }

  private static func report(
    _ rows: [Row],
    _ failures: FleetFailures,
    now: Timestamp
  ) -> Report {
    Report(
      shape.document(of: rows),
      .table {
        Table(
          rows,
          roles: Row.roles,
          headers: ["AGE", "DECISION", "BY", "SESSION", "CALL"]
        ) { $0.cells(now: now) }
      },
      pipe: .table { Table(plain: rows, cells: \.pipeCells) },
      status: rows.isEmpty && failures.hasAnswer ? "no decisions" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
  }

  private static let shape: JSONShape<[Row]> = [
    .list("log", formerly: "decisions", "The decisions, the latest first", rowShape) { $0 }
  ]

  private static let rowShape: JSONShape<Row> = [
    .text("id", "The record's id") { $0.entry.id },
    .text("at", "When it was decided, on the server's clock") { $0.entry.at.iso8601 },
    .text("decision", "allow or deny") { $0.entry.isAllowed ? "allow" : "deny" },
    .text("decidedBy", "user, timeout, policy or extension_lost") { $0.entry.decidedBy },
    .text("scope", "The scope of a user's decision, or null") { $0.entry.scope },
    .text("rule", "The rule that applied, or null") { $0.entry.rule },
    .text("tool", "The tool") { $0.entry.tool },
    .text("summary", "A summary of the call, on one line") { $0.entry.summary },
    .text("sessionId", "The session, or null") { $0.entry.sessionID },
    .server { $0.server },
  ]
}

extension Fleet.Answer where Value == [AuditEntry]? {
  /// Why the server has no records; `nil` if it has some.
  fileprivate var auditError: OppiError? {
    guard case .success(nil) = result else { return error }
    return .noDecisions(server.name)
  }
}
