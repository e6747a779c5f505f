// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi approvals list`.
enum ApprovalsList {
  struct Options: Sendable, Equatable {
    var isHighRisk = false
    var isExpiring = false
    var isWatching = false
  }

  static let command: Command = Command(
    "list",
    "List what waits for approval on all paired servers",
    discussion: """
      Every call is proposed and has not run. The highest risk comes first, then what expires \
      soonest, by the server's own clock; what expires is denied. The risk is a guess from the words \
      of the call, for sorting and reading only, and decides nothing:

        high          other rights, secrets, code from elsewhere
        destructive   takes things away that may not come back
        exfiltration  sends things elsewhere
        write         changes things, or runs a program of which nothing is known
        read          looks at things

      A list may cut a long call; 'oppi approvals show ID' shows all of it. Decide with 'oppi approve \
      ID' and 'oppi deny ID'.

      In a pipe each line has, with tabs between them: id, risk, tool, summary, reason, seconds left \
      (empty where there is no limit), server/session, and what that session is about. With --watch \
      a line begins with requested or gone, and comes when that is seen: the servers are asked every \
      2 s, so that no phone is kept from being told.
      """,
    examples: [
      CommandExample("oppi approvals --high-risk", "What deserves a close look"),
      CommandExample("oppi approvals --watch --json", "Each as it comes and goes, as JSON"),
    ],
    exitStatuses: [0, 69, 75, 76, 77, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .flag("high-risk", \.isHighRisk, "Only those of risk destructive or high"),
      .flag("expiring", \.isExpiring, "Only those with under 1 h, or the last quarter, left"),
      .flag("watch", \.isWatching, "Go on, and print what comes and goes"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard !options.isWatching else { return try await ApprovalsWatch.run(options, in: context) }
    let queue = try await ApprovalQueue.ask(context.fleet(), in: context.intents)
    let rows = queue.rows.filter(options.includes)
    let failures = FleetFailures(queue.answers)
    let width = context.console.policy.width
    return Report(
      shape.document(of: rows),
      .page { lines(rows, width: width) },
      pipe: .table { pipeTable(rows) },
      status: rows.isEmpty && failures.hasAnswer ? "nothing waits for approval" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
  }

  /// The call first: a line each where there is room for all of every request, else two.
  static func lines(_ rows: [ListedRequest], width: Int) -> [StyledText] {
    let ids = rows.map { DisplayWidth.of($0.approval.id) }.max() ?? 0
    let calls = rows.map { DisplayWidth.of($0.call) }.max() ?? 0
    let single = rows.map { row in
      let space = ids - DisplayWidth.of(row.approval.id) + 2
      var line = StyledText(row.approval.id, .name)
      line.append(String(repeating: " ", count: space) + row.call)
      line.append(String(repeating: " ", count: calls - DisplayWidth.of(row.call) + 2))
      return line.with(row.details)
    }
    guard single.contains(where: { DisplayWidth.of($0.plain) > width }) else { return single }
    return rows.flatMap { row in
      let call = StyledText(row.approval.id, .name).with(StyledText("  \(row.call)"))
      let details = StyledText("    ").with(row.details)
      return [call.truncated(to: width), details.truncated(to: width)]
    }
  }

  static func pipeTable(_ rows: [ListedRequest], after word: String? = nil) -> Table {
    var table = Table()
    for row in rows {
      let cells = [
        row.approval.id, row.approval.risk.word, row.approval.tool, row.approval.summary,
        row.approval.reason ?? "", row.secondsLeft.map(String.init) ?? "",
        "\(row.server.name)/\(row.request.sessionID ?? "")", row.session?.goal ?? "",
      ]
      table.add(([word].compactMap(\.self) + cells).map { StyledText($0) })
    }
    return table
  }

  private static let shape: JSONShape<[ListedRequest]> = [
    .list("approvals", "What waits, the highest risk first", ListedRequest.shape) { $0 }
  ]
}

extension ListedRequest {
  /// What would run, on one line.
  fileprivate var call: String { "\(approval.tool): \(approval.summary)" }

  /// The risk, the time that is left, where it comes from, and why it is asked.
  fileprivate var details: StyledText {
    let rest = [place.text, approval.reason].compactMap(\.self).joined(separator: ", ")
    return riskText.with(StyledText(", ", .dim))
      .with(StyledText(timeLeft, isExpiring ? .error : .dim))
      .with(StyledText(", \(rest)", .dim))
  }
}

extension ApprovalsList.Options {
  /// Whether a row is asked for.
  func includes(_ row: ListedRequest) -> Bool {
    (!isHighRisk || row.approval.risk.isHigh) && (!isExpiring || row.isExpiring)
  }
}
