// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

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
