// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
package import OppiTerminal
import OppiText
package import OppiWire

/// `oppi approvals log`: past decisions, from the servers' own records.
package enum ApprovalsLog {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isComplete = false
    var limit = 30
  }

  private struct Row {
    var server: PairedServer
    /// The server's entry; `nil` for a decision that only this machine's record has.
    var entry: AuditEntry?
    var own: SentReply?

    /// Whose record has it.
    var source: String { own == nil ? "server" : entry == nil ? "machine" : "both" }
    var at: Timestamp { entry?.at ?? own?.at ?? Timestamp(milliseconds: 0) }
    var effect: RequestReply.Effect {
      entry.map { $0.isAllowed ? .allow : .deny } ?? own?.effect ?? .deny
    }
    var decidedBy: String { entry?.decidedBy ?? (own?.isAutomatic == true ? "program" : "user") }
    var tool: String { entry?.tool ?? own?.tool ?? "" }
    var summary: String { entry?.summary ?? own?.summary ?? "" }
    var sessionID: String? { entry == nil ? own?.sessionID : entry?.sessionID }

    /// Whether a rule allowed the call, as in most entries.
    var isRoutine: Bool { own == nil && effect == .allow && decidedBy == "policy" }

    var place: String { server.qualified(sessionID ?? "") }

    /// The answer and the result as far as they say more than the decision.
    private var result: String? {
      guard entry == nil, let own else { return nil }
      return own.result == "confirmed" ? own.reply : "\(own.reply), \(own.result)"
    }

    var by: String {
      let note = (entry?.scope ?? result).map { " (\($0))" } ?? ""
      return (entry == nil ? "*" : "") + decidedBy + note
    }
  }

  static let command: Command = Command(
    "log",
    "List past decisions on tool calls",
    discussion: """
      Lists the records of all paired servers, the latest first: your decisions, expired \
      requests, and calls that rules denied. With --all also calls that rules allowed.

      This machine keeps its own record of each decision and answer that it sends: the time, the \
      command, the session, what was shown (its first 4 KiB, and the SHA-256 of all of it), the \
      reply without typed text, and the result, which may be unknown. It is readable only by you, \
      and the oldest entries are dropped beyond 2 MiB. An entry that no server's record has is \
      marked with *. Today's servers keep no records, so that all entries about them are such; this \
      is a warning, and a failure only if nothing is recorded anywhere.

      In a pipe each line has, separated by tabs: time, allow, deny or answer, decided by (user, program, \
      timeout, policy or extension_lost), scope, server/session, tool, call, whose record has it \
      (server, machine or both), and the result and the reply that this machine recorded.
      """,
    examples: [("oppi approvals log --limit 5", "List the last decisions")],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
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
  .listing([list])

  private static let list = Listing<Row>(
    "log",
    formerly: "decisions",
    "The decisions, the latest first",
    [
      .text("id", "The id of the server's record, else of the request") {
        $0.entry?.id ?? $0.own?.requestID ?? ""
      },
      .text("source", "Whose record has it: server, machine (only this one) or both") { $0.source },
      .text("at", "When it was decided, on the clock of the record's owner") { $0.at.iso8601 },
      .text("decision", "allow or deny, or answer for an answer to a question") {
        $0.effect.rawValue
      },
      .text("decidedBy", "user, program, timeout, policy or extension_lost") { $0.decidedBy },
      .text("scope", "The scope of a user's decision, or null") { $0.entry?.scope },
      .text("rule", "The rule that applied, or null") { $0.entry?.rule },
      .text("tool", "The tool; the kind of a dialog") { $0.tool },
      .text("summary", "A summary of the call, on one line") { $0.summary },
      .text("sessionId", "The session, or null") { $0.sessionID },
      .object("sent", "What this machine sent, or null", sentShape) { $0.own },
      .server { $0.server },
    ],
    columns: [
      .age(.detail(1)) { $0.at },
      .cell("DECISION", .kept) { row, _ in row.effect.past },
      .text("BY", .context) { $0.by },
      .text("SESSION", .detail(2), .dim) { $0.place },
      .text("CALL", .decides) { "\($0.tool): \($0.summary)" },
    ],
    pipe: [
      "at", "decision", "decidedBy", "scope", .text { $0.place }, "tool", "summary", "source",
      "sent.result", "sent.reply",
    ]
  )

  /// High, because most entries of a record are calls that rules allowed.
  private static let askedFor = 500

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var fleet = context.fleet(of: try context.pairedServers())
    var sessionID: String?
    if let name = options.session {
      let session = try await context.session(named: name)
      fleet = context.fleet(of: [session.server])
      sessionID = session.id
    }
    let (answers, rows) = try await rows(
      of: fleet,
      in: context.services,
      session: sessionID,
      isComplete: options.isComplete,
      limit: options.limit
    )
    let unrecorded = OppiError.unrecorded(on: answers.filter(\.isUnrecorded).map(\.server.name))
    let failures = FleetFailures(answers) { answer in
      answer.error ?? (rows.isEmpty && answer.isUnrecorded ? unrecorded : nil)
    }
    var report = list.report(
      Array(rows.prefix(options.limit)),
      in: context,
      status: rows.isEmpty && failures.hasAnswer ? "no decisions" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
    if let unrecorded, !rows.isEmpty { report.notes.append(.warning(unrecorded.message)) }
    return report
  }

  /// The past decisions in a session, one in each line, the latest first.
  ///
  /// - Throws: `OppiError` if the server or the record of this machine cannot be read.
  package static func lines(
    of session: SessionID,
    in context: Services,
    limit: Int
  ) async throws -> [StyledText] {
    let fleet = context.fleet(of: [try context.server(session.serverID)])
    let (answers, rows) = try await rows(
      of: fleet,
      in: context,
      session: session.sessionID,
      isComplete: true,
      limit: limit
    )
    if rows.isEmpty, let error = answers.compactMap(\.error).first { throw error }
    let view = ListView(now: context.now(), isOnlyServer: true)
    return rows.prefix(limit).map { row in
      let words = [view.ago("", row.at) ?? "", row.by, "\(row.tool): \(row.summary)"]
      return row.effect.past.with(StyledText("  \(words[0])  \(words[1])  ", .dim))
        .with(StyledText(words[2]))
    }
  }

  /// The answers of servers about their records, and the decisions with those that only this machine
  /// recorded, the latest first; without `isComplete` not those that are routine.
  private static func rows(
    of fleet: Fleet,
    in context: Services,
    session sessionID: String?,
    isComplete: Bool,
    limit: Int
  ) async throws -> (answers: [Fleet.Answer<[AuditEntry]?>], rows: [Row]) {
    let limit = isComplete ? limit : askedFor
    let answers = try await fleet.answers { (calls, _) throws(OppiError) in
      try await calls.audit(limit: limit, sessionID: sessionID)
    }
    // The latest first, also within the second that is recorded.
    let own = try context.sentReplies.entries().reversed().filter {
      sessionID == nil || $0.sessionID == sessionID
    }
    var rows = answers.flatMap { answer -> [Row] in
      let entries = (try? answer.result.get()) ?? []
      return Self.rows(of: answer.server, entries, own)
    }
    if !isComplete { rows.removeAll { $0.isRoutine } }
    return (answers, rows.sorted { $0.at > $1.at })
  }

  /// The entries of a server's record, and those of this machine's that are not among them.
  private static func rows(
    of server: PairedServer,
    _ entries: [AuditEntry],
    _ own: [SentReply]
  ) -> [Row] {
    var left = own.filter { $0.serverID == server.id }
    let known = entries.map { entry in
      var row = Row(server: server, entry: entry)
      if let index = left.firstIndex(where: { $0.isRecorded(as: entry) }) {
        row.own = left.remove(at: index)
      }
      return row
    }
    return known + left.map { Row(server: server, own: $0) }
  }

  private static let sentShape: JSONShape<SentReply> = [
    .text("at", "When the result was known, on this machine's clock") { $0.at.iso8601 },
    .text("command", "The command that sent it, such as chat") { $0.surface },
    .text("requestId", "The request") { $0.requestID },
    .text("reply", "The decision or the chosen option; typed text is not recorded") { $0.reply },
    .text(
      "result",
      "confirmed, too-late, changed, unconfirmed, unknown or failed; sent if it was never known"
    ) { $0.result },
    .text("shown", "The first 4 KiB of the text that was shown") { $0.shown.safeBlock() },
    .text("sha256", "The SHA-256 of the whole text that was shown") { $0.digest },
  ]
}

extension RequestReply.Effect {
  fileprivate var past: StyledText {
    switch self {
    case .allow: StyledText("allowed", .success)
    case .deny: StyledText("denied", .error)
    case .answer: StyledText("answered")
    }
  }
}

extension Fleet.Answer where Value == [AuditEntry]? {
  /// Whether the server keeps no record.
  fileprivate var isUnrecorded: Bool { if case .success(nil) = result { true } else { false } }
}

extension OppiError {
  /// Servers that keep no record; `nil` if there are none.
  fileprivate static func unrecorded(on servers: [String]) -> OppiError? {
    guard let first = servers.first else { return nil }
    let words =
      servers.count == 1
      ? "\(first) keeps no record of decisions: it does not hold tool calls for approval"
      : "\(servers.sorted().joined(separator: ", ")) keep no record of decisions: they do not hold "
        + "tool calls for approval"
    return OppiError(.serverError, words)
  }
}
