// SPDX-License-Identifier: MIT

import CommandTable
package import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// `oppi history`: earlier prompts and their outcomes.
package enum History {
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
  }

  package static let command: Command = Command(
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
    members: HistoryCosts.others.rows,
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
  .listing([list, HistoryCosts.list])

  private static let list = Listing<Row>(
    "history",
    formerly: "asks",
    "The prompts, the latest first",
    [
      .number("number", "Its number for 'oppi ask --again', which never changes") {
        $0.entry.number
      },
      .text("at", "When it was sent or queued") { $0.entry.at.iso8601 },
      .text("place", "server/workspace, or server/session") { $0.entry.place },
      .text("workspaceId", "The workspace's composite id, or null") {
        $0.entry.workspace?.description
      },
      .text("sessionId", "The session, or null") { $0.entry.sessionID },
      .text("prompt", "The prompt, or the start of one above 512 KiB") { $0.entry.prompt },
      .number("images", "The number of images") { $0.entry.imageCount },
      .text("state", "The state as in ask --json, or expired or dropped") { $0.entry.state },
      .text("shortcut", "The shortcut that sent it, or null") { $0.entry.shortcut },
      .text("clientTurnId", "The id of its turn") { $0.entry.clientTurnID },
      .text("after", "In a chain: the id of the turn after which it was sent, or null") {
        $0.entry.after
      },
      .dollars("cost", "The cost of its turn in dollars, or null if unknown") { $0.entry.cost },
      .text("seen", "The last known state of the session, as in sessions --json, or null") {
        $0.phase?.rawValue
      },
      .text("seenPhase", "The same as in phase of sessions --json, or null") { $0.phase?.word },
    ],
    columns: [
      .text("NO", .kept, .name) { String($0.entry.number) },
      .age(.detail(1)) { $0.entry.at },
      .text("PLACE", .context) { $0.entry.place },
      .text("STATE", .kept) { row in
        [row.entry.state, row.phase?.word, row.predecessor.map { "after \($0)" }]
          .compactMap(\.self).joined(separator: ", ")
      },
      .text("PROMPT", .decides) { $0.entry.prompt.safeLine(limit: 80) },
    ],
    pipe: [
      "number", "at", "place", "sessionId", "state", "seenPhase",
      .text { $0.entry.prompt.safeLine(limit: 2000) },
    ]
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    if options.isClearing {
      try await context.history.clear()
      return list.report([], in: context, status: "history deleted")
    }
    if options.sumsCosts { return try await HistoryCosts.report(in: context) }
    let seen = context.lastSeen
    let entries = try context.history.entries()
    let rows = entries.prefix(options.limit).map { entry in
      let session = entry.sessionID.flatMap { seen.session($0, on: entry.workspace?.serverID) }
      let phase = session?.status.phase
      let before = entry.after.flatMap { id in entries.first { $0.clientTurnID == id } }
      return Row(entry: entry, phase: phase, predecessor: before?.number)
    }
    return list.report(
      rows,
      in: context,
      status: rows.isEmpty ? "no prompts in the history" : nil
    )
  }
}

extension AskHistoryFile {
  /// The prompt with a number of `oppi history`; the latest one without a number.
  ///
  /// - Throws: `OppiError` if there is none, or if it had images, which are not stored, or is not
  ///   stored in full; `FileError` if the file cannot be read.
  package func entry(number: Int?) throws -> Entry {
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
    guard !entry.isCut else {
      throw OppiError(
        .badInput,
        "cannot resend prompt \(entry.number): it is too long, and only its start was saved",
        hints: ["pass the whole text again: oppi ask -F FILE"]
      )
    }
    return entry
  }
}

/// `oppi history --costs`: the costs of earlier prompts.
package enum HistoryCosts {
  static func report(in context: Context) async throws -> Report {
    let summary = try await summary(in: context)
    return list.report(
      summary.rows,
      in: context,
      others: others.object(of: summary),
      status: StyledText(status(of: summary))
    )
  }

  /// - Throws: `FileError` if the history cannot be read.
  package static func summary(in context: Context) async throws -> CostSummary {
    let entries = try context.history.entries()
    let sent = entries.filter { !unsentStates.contains($0.state) }
    let names = await names(of: entries, in: context)
    let seen = context.lastSeen
    let prompts = sent.reversed().map { entry in
      (
        day: LocalTime.date(at: entry.at),
        place: entry.workspace.flatMap { names[$0] } ?? entry.place,
        shortcut: entry.shortcut,
        session: entry.session ?? entry.sessionID.flatMap { seen.session($0, on: nil)?.id },
        cost: entry.cost
      )
    }
    let totals = seen.compactMap { session in
      session.status.cost.flatMap { Dollars($0) }.map { (session.id, $0) }
    }
    return CostSummary(prompts, totals: Dictionary(totals) { max($0, $1) })
  }

  /// The names of workspaces, as the last prompt to each named it, else as last listed.
  ///
  /// The place of a prompt to a session names no workspace.
  private static func names(
    of entries: [AskHistoryFile.Entry],
    in context: Context
  ) async -> [WorkspaceReference: String] {
    let listed = await context.knownWorkspaces().compactMap { known in
      known.reference.map { ($0, known.qualifiedName) }
    }
    let named = entries.compactMap { entry in
      entry.isToSession ? nil : entry.workspace.map { ($0, entry.place) }
    }
    return Dictionary(named + listed) { first, _ in first }
  }

  /// The states of prompts that have cost nothing so far.
  private static let unsentStates: Set<String> = ["not-sent", "outbox"]

  package static func status(of summary: CostSummary) -> String {
    guard !summary.rows.isEmpty else { return "no prompts in the history" }
    let total = summary.isUnknown ? nil : "\(summary.total.text) in total"
    return [total, unknownNote(of: summary)].compactMap(\.self).joined(separator: "; ")
  }

  /// That costs are not known; `nil` if all are.
  package static func unknownNote(of summary: CostSummary) -> String? {
    let unknown = summary.unknownCount
    return unknown > 0 ? "the cost of \(unknown.counted("prompt")) is not known" : nil
  }

  package static let list = Listing<CostSummary.Row>(
    "costs",
    "With --costs: the sums, the latest day first",
    [
      .text("day", "The day, in local time") { $0.day.text },
      .text("place", "server/workspace, or server/session if the workspace is not known") {
        $0.place
      },
      .text("shortcut", "The shortcut that sent the prompts, or null") { $0.shortcut },
      .number("prompts", "The number of prompts") { $0.promptCount },
      .number("unknown", "The number of prompts whose cost is not known") { $0.unknownCount },
      .dollars("cost", "The sum of the known costs, in dollars") { $0.cost },
    ],
    columns: [
      .text("DAY", .kept, .dim) { $0.day.text },
      .text("WORKSPACE", .context, .name) { $0.place },
      .text("SHORTCUT", .context) { $0.shortcut },
      .text("PROMPTS", .detail(1), .dim) { $0.promptCount.counted("prompt") },
      .text("COST", .decides) { $0.costText }.toTheRight,
    ],
    pipe: ["day", "place", "shortcut", "prompts", "unknown", "cost"]
  )

  static let others: JSONShape<CostSummary> = [
    .dollars("totalCost", "With --costs: the sum of all known costs, in dollars") { $0.total }
  ]
}
