// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi history`: earlier prompts and their outcomes.
enum History {
  struct Options: Sendable, Equatable {
    var limit = 20
    var isClearing = false
    var sumsCosts = false
  }

  private struct Row {
    var entry: AskHistoryFile.Entry
    /// The last known state of its session.
    var phase: SessionPhase?
    /// In a chain: the number of the prompt before it.
    var predecessor: Int?
    let now: Timestamp
  }

  static let command: Command = Command(
    "history",
    "List earlier prompts and their outcomes",
    discussion: """
      Lists the prompts that 'oppi ask' and 'oppi run' sent from this machine, the latest first, \
      with their numbers for 'oppi ask --again'. The number of a prompt never changes; after \
      --clear the numbers start again. The state is the result of the command, or the \
      later result of a queued prompt; the last known state of the session follows, and in a chain \
      the number of the prompt before it. The last 500 \
      prompts are kept, readable only by you; 'oppi config set history false' disables this.

      In a pipe each line has, separated by tabs: number, time, server/workspace (or \
      server/session), session, state, last known state of the session, and prompt.

      --costs sums the costs of all recorded prompts, as far as they are known; see 'oppi help \
      costs'. In a pipe each line has: day, server/workspace, shortcut, number of prompts, how many \
      of them have no known cost, and the cost in dollars.
      """,
    examples: [
      ("oppi history", "List the last 20 prompts"),
      ("oppi history --limit 1 | cut -f7", "Print the last prompt"),
      ("oppi history --costs", "Sum the costs by day, workspace and shortcut"),
      ("oppi history --clear", "Delete the history"),
    ],
    exitStatuses: [0, 64, 74, 75, 78],
    members: shape.rows + HistoryCosts.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option("limit", placeholder: "N", \.limit, "Show at most N prompts"),
      .flag("costs", \.sumsCosts, "Sum the costs by day, workspace and shortcut"),
      .flag("clear", \.isClearing, "Delete the history"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.limit > 0 else { throw UsageError(.custom("--limit expects 1 or more")) }
    },
    run: run
  )
  .listing("history", "costs")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    if options.isClearing {
      try await context.history.clear()
      return Report(shape.document(of: []), status: "history deleted")
    }
    if options.sumsCosts { return try HistoryCosts.report(in: context) }
    let (now, seen) = (context.now(), context.lastSeen)
    let entries = try context.history.entries()
    let rows = entries.prefix(options.limit).map { entry in
      let session = entry.sessionID.flatMap { seen.session($0, on: entry.workspace?.serverID) }
      let phase = session?.status.phase
      let before = entry.after.flatMap { id in entries.first { $0.clientTurnID == id } }
      return Row(entry: entry, phase: phase, predecessor: before?.number, now: now)
    }
    return Report(
      shape.document(of: rows),
      .table { eyesTable(rows) },
      pipe: .table { pipeTable(rows) },
      status: rows.isEmpty ? "no prompts in the history" : nil
    )
  }

  private static func eyesTable(_ rows: [Row]) -> Table {
    Table(
      rows,
      roles: [.kept, .detail(1), .context, .kept, .decides],
      headers: ["NO", "AGE", "PLACE", "STATE", "PROMPT"]
    ) { row in
      [
        StyledText(String(row.entry.number), .name),
        StyledText(RelativeTime.age(seconds: row.entry.at.age(at: row.now)), .dim),
        StyledText(row.entry.place),
        StyledText(
          [row.entry.state, row.phase?.word, row.predecessor.map { "after \($0)" }]
            .compactMap(\.self).joined(separator: ", ")
        ),
        StyledText(row.entry.prompt.safeLine(limit: 80)),
      ]
    }
  }

  private static func pipeTable(_ rows: [Row]) -> Table {
    Table(plain: rows) { row in
      [
        String(row.entry.number), row.entry.at.iso8601, row.entry.place, row.entry.sessionID ?? "",
        row.entry.state, row.phase?.word ?? "", row.entry.prompt.safeLine(limit: 2000),
      ]
    }
  }

  private static let shape: JSONShape<[Row]> = [
    .list("history", formerly: "asks", "The prompts, the latest first", rowShape) { $0 }
  ]

  private static let rowShape: JSONShape<Row> = [
    .number("number", "Its number for 'oppi ask --again', which never changes") {
      $0.entry.number
    },
    .text("at", "When it was sent or queued") { $0.entry.at.iso8601 },
    .text("place", "server/workspace, or server/session") { $0.entry.place },
    .text("workspaceId", "The workspace's composite id, or null") {
      $0.entry.workspace?.description
    },
    .text("sessionId", "The session, or null") { $0.entry.sessionID },
    .text("prompt", "The prompt") { $0.entry.prompt },
    .number("images", "The number of images") { $0.entry.imageCount },
    .text("state", "The state as in ask --json, or expired or dropped") { $0.entry.state },
    .text("shortcut", "The shortcut that sent it, or null") { $0.entry.shortcut },
    .text("clientTurnId", "The id of its turn") { $0.entry.clientTurnID },
    .text("after", "In a chain: the id of the turn after which it was sent, or null") {
      $0.entry.after
    },
    .member("cost", "The cost of its turn in dollars, or null if unknown") {
      $0.entry.cost.map { .double($0.number) } ?? .null
    },
    .text("seen", "The last known state of the session, as in sessions --json, or null") {
      $0.phase?.rawValue
    },
    .text("seenPhase", "The same as in phase of sessions --json, or null") { $0.phase?.word },
  ]
}

extension AskHistoryFile {
  /// The prompt with a number of `oppi history`; the latest one without a number.
  ///
  /// - Throws: `OppiError` if there is none, or if it had images, which are not stored; `FileError`
  ///   if the file cannot be read.
  func entry(number: Int?) throws -> Entry {
    let entries = try entries()
    let found = number.map { number in entries.first { $0.number == number } } ?? entries.first
    guard let entry = found else {
      guard let number, let first = entries.last, let last = entries.first else {
        throw OppiError(.notSet, "no prompts in the history")
      }
      throw OppiError(
        .notSet,
        "no prompt \(number) in the history",
        hints: [
          "it has the prompts \(first.number) to \(last.number); list them with: oppi history"
        ]
      )
    }
    guard entry.imageCount == 0 else {
      throw OppiError(.badInput, "cannot resend prompt \(entry.number): its images were not saved")
    }
    return entry
  }
}

/// `oppi history --costs`: the costs of earlier prompts.
enum HistoryCosts {
  static func report(in context: Context) throws -> Report {
    let sent = try context.history.entries().filter { !unsentStates.contains($0.state) }
    let seen = context.lastSeen
    let prompts = sent.reversed().map { entry in
      CostSummary.Prompt(
        day: LocalTime.date(at: entry.at),
        place: entry.place,
        shortcut: entry.shortcut,
        session: entry.session ?? entry.sessionID.flatMap { seen.session($0, on: nil)?.id },
        cost: entry.cost
      )
    }
    let totals = seen.compactMap { session in
      session.status.cost.flatMap { Dollars($0) }.map { (session.id, $0) }
    }
    let summary = CostSummary(prompts, totals: Dictionary(totals) { max($0, $1) })
    return Report(
      shape.document(of: summary),
      .table { eyesTable(summary.rows) },
      pipe: .table { pipeTable(summary.rows) },
      status: StyledText(status(of: summary))
    )
  }

  /// The states of prompts that have cost nothing so far.
  private static let unsentStates: Set<String> = ["not-sent", "outbox"]

  private static func status(of summary: CostSummary) -> String {
    guard !summary.rows.isEmpty else { return "no prompts in the history" }
    let unknown = summary.unknownCount
    return "\(summary.total.text) in total"
      + (unknown > 0 ? "; the cost of \(unknown.counted("prompt")) is not known" : "")
  }

  private static func eyesTable(_ rows: [CostSummary.Row]) -> Table {
    Table(
      rows,
      roles: [.kept, .context, .context, .detail(1), .decides],
      headers: ["DAY", "WORKSPACE", "SHORTCUT", "PROMPTS", "COST"]
    ) { row in
      [
        StyledText(row.day.text, .dim), StyledText(row.place, .name),
        StyledText(row.shortcut ?? ""), StyledText(row.promptCount.counted("prompt"), .dim),
        StyledText(row.unknownCount == row.promptCount ? "unknown" : row.cost.text),
      ]
    }
  }

  private static func pipeTable(_ rows: [CostSummary.Row]) -> Table {
    Table(plain: rows) { row in
      [
        row.day.text, row.place, row.shortcut ?? "", String(row.promptCount),
        String(row.unknownCount), String(row.cost.number),
      ]
    }
  }

  static let shape: JSONShape<CostSummary> = [
    .list("costs", "With --costs: the sums, the latest day first", rowShape) { $0.rows },
    .member("totalCost", "With --costs: the sum of all known costs, in dollars") {
      .double($0.total.number)
    },
  ]

  private static let rowShape: JSONShape<CostSummary.Row> = [
    .text("day", "The day, in local time") { $0.day.text },
    .text("place", "server/workspace, or server/session") { $0.place },
    .text("shortcut", "The shortcut that sent the prompts, or null") { $0.shortcut },
    .number("prompts", "The number of prompts") { $0.promptCount },
    .number("unknown", "The number of prompts whose cost is not known") { $0.unknownCount },
    .member("cost", "The sum of the known costs, in dollars") { .double($0.cost.number) },
  ]
}
