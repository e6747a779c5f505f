// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// `oppi approvals`: pending approvals and dialogs, and past decisions.
package enum Approvals {
  /// `decide` shows the pending requests on a full screen, for `--decide`.
  package static func command(deciding decide: @escaping ApprovalsList.Decide) -> Command {
    Command(
      "approvals",
      "Show pending approvals and past decisions",
      group: Group.watching,
      defaultSubcommand: "list",
      subcommands: [
        ApprovalsList.command(deciding: decide), ApprovalsShow.command, ApprovalsLog.command,
      ]
    )
  }
}

package enum ApprovalsList {
  struct Options: Sendable, Equatable {
    var isHighRisk = false
    var isExpiring = false
    var isWatching = false
    var isDeciding = false
  }

  package typealias Decide = @Sendable (Context) async throws -> Report

  static func command(deciding decide: @escaping Decide) -> Command {
    Command(
      "list",
      "List pending approvals and dialogs",
      discussion: """
        Lists the pending tool calls and dialogs of all paired servers. A listed call has not run. \
        The highest risk comes first, then the earliest expiry, by the server's clock; expired \
        requests are denied. The risk is estimated from the text of the call, or from the command \
        that a dialog quotes, for sorting and display only:

          high risk      needs other privileges, reads secrets, or runs downloaded code
          deletes data   deletes things that may not be recoverable
          sends data     sends data elsewhere
          makes changes  changes things, or runs an unknown program
          reads data     reads things

        In JSON and in a pipe the words are high, destructive, exfiltration, write and read.

        Servers since May 2026 hold no tool calls: there, tools run without approval unless an \
        extension asks. Such a question is a dialog of kind confirm, select, input or ask. Only its \
        text is known, not the call; without a command in it, the risk is unknown. Dialogs of kind \
        editor are not listed. Before a session starts, a server may ask whether to trust the \
        project; it allows the project if that question is cancelled or not answered within 15 s.

        On a narrow terminal the call comes first, and the id last. The list may truncate a long \
        text; 'oppi approvals show ID' shows it in full. Approvals are decided with \
        'oppi approve ID' and 'oppi deny ID': calls, confirm dialogs, and selects of two choices such \
        as Yes and No. Answer other dialogs with 'oppi answer ID VALUE', or cancel them with \
        'oppi deny ID'.

        In a pipe each line has, separated by tabs: id, risk (or unknown), tool or kind \
        of dialog, summary, reason, seconds left (empty if unlimited), server/session, and the goal \
        of the session. With --watch a line \
        starts with requested or gone and is printed on each change: the servers are polled every \
        2 s, so that their push notifications to phones continue.

        --decide opens the console's list of approvals, to decide several requests together. Enter shows \
        the selected request in full; there, as in 'oppi chat', you must wait for 1 s and scroll \
        through all of it before marking it allow. d marks it deny, u removes its mark, and s sends all marks. \
        There is no key for all requests. A mark is dropped if its request changes, expires or is \
        decided elsewhere. Before anything is sent, a question shows the number of marks: after 1 s, \
        y selects 'send' and Enter confirms it. Each reply is sent only if its request is still \
        pending and unchanged, and applies to this call only. Then the result for each request is \
        printed, in JSON as by 'oppi approve'; the first failure sets the status: 5 if a request is \
        no longer pending, 6 if a result is unknown.
        """,
      examples: [
        ("oppi approvals --high-risk", "List approvals with a high risk"),
        ("oppi approvals --watch --json", "Watch approvals, print JSON"),
        ("oppi approvals --decide", "Decide several requests together"),
      ],
      exitStatuses: [0, 5, 6, 64, 66, 69, 75, 76, 77, 78],
      members: others.rows + [
        HelpRow(
          "type",
          "With --watch: requested or gone, with at and the members of approvals show"
        ),
        HelpRow("decisions", "With --decide: the result for each request, as of approve"),
      ],
      options: Options(),
      arguments: [
        .flag("high-risk", \.isHighRisk, "Only requests that delete data or have a high risk"),
        .flag(
          "expiring",
          \.isExpiring,
          "Only requests with less than 1 h or 1/4 of their time left"
        ),
        .flag("watch", \.isWatching, "Keep running and print changes"),
        .flag(
          "decide",
          \.isDeciding,
          "Mark requests on the full screen, then decide them together"
        ),
      ],
      validate: { (options) throws(UsageError) in
        guard options.isDeciding else { return }
        if options.isWatching || options.isHighRisk || options.isExpiring {
          throw UsageError(
            .contradiction("--decide cannot be used with --watch, --high-risk or --expiring")
          )
        }
      },
      run: { (options, context) in
        try await options.isDeciding ? decide(context) : run(options, in: context)
      }
    )
    .listing([list], and: "decisions")
  }

  /// A terminal shows ``lines(_:hasHeader:width:)``.
  static let list = Listing<ListedRequest>(
    "approvals",
    "The pending requests, the highest risk first",
    ListedRequest.shape,
    pipe: [
      "id", .text { $0.approval.risk?.word ?? "unknown" }, .text { $0.approval.tool }, "summary",
      "reason", "secondsLeft", .text { "\($0.server)/\($0.request.sessionID ?? "")" }, "goal",
    ]
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard !options.isWatching else { return try await ApprovalsWatch.run(options, in: context) }
    let queue = try await ApprovalQueue.ask(context.fleet(), in: context.services)
    let rows = queue.rows.filter(options.includes)
    await context.services.remember(listed: rows.map(\.shown))
    let failures = FleetFailures(queue.answers)
    let note = GateNote.text(of: queue.ungated.map { ($0.name, .dialogs) })
    let width = context.output.policy.width
    return list.report(
      rows,
      in: context,
      others: others.object(of: queue),
      text: .page { lines(rows, hasHeader: true, width: width) },
      status: rows.isEmpty && failures.hasAnswer ? "no pending approvals" : nil,
      notes: failures.notes + (note.map { [.note($0)] } ?? []),
      failure: failures.failure
    )
  }

  /// The maximum number of rows of a call.
  private static let callRows = 4
  /// The maximum number of rows of its details without the id.
  private static let detailRows = 2

  /// One line for each request if all fit the width; else the call comes first, and the id last.
  static func lines(
    _ rows: [ListedRequest],
    hasHeader: Bool = false,
    width: Int
  ) -> [StyledText] {
    let table = Table(rows, headers: hasHeader ? ["ID", "CALL", "DETAILS"] : []) { row in
      [StyledText(row.approval.id, .name), StyledText(row.approval.call), row.details]
    }
    let single = table.lines(width: .max)
    guard single.contains(where: { DisplayWidth.of($0.plain) > width }) else { return single }
    return rows.flatMap { row in
      StyledText(row.approval.call, .name).folded(to: width, rows: callRows, indent: 2)
        + withID(of: row, StyledText("    ").with(row.details), width: width)
    }
  }

  /// The rows of the details with the id at the end, on a row of its own if necessary.
  private static func withID(
    of row: ListedRequest,
    _ details: StyledText,
    width: Int
  ) -> [StyledText] {
    let id = StyledText(row.approval.id, .dim)
    var rows = details.folded(to: width, rows: detailRows, indent: 4)
    let last = (rows.last ?? StyledText()).with(StyledText(", ", .dim)).with(id)
    if DisplayWidth.of(last.plain) <= width {
      rows[rows.count - 1] = last
    } else {
      rows.append(StyledText("    ").with(id).truncated(to: width))
    }
    return rows
  }

  private static let others: JSONShape<ApprovalQueue> = [
    .list("servers", "The servers that answered", serverShape) { queue in
      let ungated = Set(queue.ungated.map(\.id))
      return queue.answers.filter { $0.error == nil }
        .sorted { $0.server.name < $1.server.name }
        .map { ($0.server, ungated.contains($0.server.id)) }
    }
  ]

  private static let serverShape: JSONShape<(server: PairedServer, isUngated: Bool)> = [
    .text("id", "Its identity") { $0.server.id.text },
    .text("name", "Its local name") { $0.server.name },
    .member("toolsRunUnasked", "true if it has no approvals of its own; else absent") {
      $0.isUngated ? true : nil
    },
  ]
}

extension ListedRequest {
  /// The risk, the time left, the reason and the origin: what is cut off first comes last.
  fileprivate var details: StyledText {
    let rest = [approval.reason, place.text].compactMap(\.self).joined(separator: ", ")
    return riskText.with(StyledText(", ", .dim))
      .with(StyledText(timeLeft, isExpiring ? .error : .dim))
      .with(StyledText(", \(rest)", .dim))
  }
}

extension ApprovalsList.Options {
  /// Whether the filters include a row.
  func includes(_ row: ListedRequest) -> Bool {
    (!isHighRisk || row.approval.isHighRisk) && (!isExpiring || row.isExpiring)
  }
}
