// SPDX-License-Identifier: MIT

package import CommandTable
import EventLoop
package import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// `oppi approvals show`: one request in full.
package enum ApprovalsShow {
  package struct Options: Sendable, Equatable {
    package init() {}
    @Required package var id: RequestName
  }

  static let command: Command = Command(
    "show",
    "Show a pending tool call or dialog in full",
    discussion: """
      The call is shown exactly as it would run, and a dialog with its numbered choices, \
      character by character, with its own line breaks. Invisible characters are shown as \
      \\u{...} and counted. Nothing is omitted.
      """,
    examples: [("oppi approvals show 9T1aeoZLDYNQ", "Read a call before you decide")],
    exitStatuses: [0, 5, 64, 66, 69, 75, 76, 77, 78],
    members: ListedRequest.shape.rows,
    options: Options(),
    arguments: [
      .positional(
        "id",
        completion: .names(of: .request),
        \.$id,
        "The request's id, or the start of it"
      )
    ],
    run: run
  )

  package static func run(_ options: Options, in context: Context) async throws -> Report {
    let name = options.id.text
    let row = try await ApprovalQueue.ask(context.fleet(), for: [name], in: context.services)
      .request(named: name)
    let width = context.output.policy.form == .terminal ? context.output.policy.width : Int.max
    var report = Report(
      ListedRequest.shape.document(of: row),
      .page { RequestText.rows(of: row.request, width: width) + place(of: row) },
      notes: [.hint(row.request.replyHint)]
    )
    report.isLong = Report.isLong(row.request.size)
    await context.services.remember(read: row.shown)
    return report
  }

  /// The origin and the time left.
  private static func place(of row: ListedRequest) -> [StyledText] {
    let session = row.request.sessionID?.safeLine(limit: 40) ?? ""
    let goal = row.place.goal.map { " (\($0))" } ?? ""
    return [
      StyledText("session: \(row.server)/\(session)\(goal)", .dim),
      StyledText("time: \(row.timeLeft)", row.isExpiring ? .error : .dim),
    ]
  }
}

extension ListedRequest {
  /// The record that it was shown.
  package var shown: ShownRequests.Entry {
    ShownRequests.Entry(approval, of: id.serverID, in: id.sessionID ?? "")
  }
}

extension HumanRequest {
  /// The size of the content, in bytes.
  fileprivate var size: Int {
    switch self {
    case .permission(let request): request.input.text().utf8.count
    case .question(let question): question.body.text().utf8.count
    }
  }
}

/// `oppi approvals --watch`: requests as they appear and disappear.
enum ApprovalsWatch {
  /// The time between an answer and the next query.
  private static let pause = Duration.seconds(2)

  static func run(_ options: ApprovalsList.Options, in context: Context) async throws -> Report {
    var open: [ListedRequest] = []
    var troubles: Set<String> = []
    var noted: Set<Fingerprint> = []
    try await context.output.print(.step(status: "watching for requests; press Ctrl-C to stop"))
    while true {
      let queue = try await ApprovalQueue.ask(context.fleet(), in: context.services)
      let failures = FleetFailures(queue.answers).errors.map(\.message)
      for trouble in failures where !troubles.contains(trouble) {
        await context.output.warn(trouble)
      }
      troubles = Set(failures)
      let ungated = queue.ungated.filter { noted.insert($0.id).inserted }
      if let note = GateNote.text(of: ungated.map { ($0.name, .dialogs) }) {
        await context.output.status(StyledText("note: \(note)"))
      }
      let rows = queue.rows.filter(options.includes)
      let new = rows.filter { row in !open.contains(where: row.isSame) }
      await context.services.remember(listed: new.map(\.shown))
      for row in new { try await report("requested", row, context) }
      // Requests of an unreachable server do not count as gone.
      let gone = open.filter { row in
        queue.answered.contains(row.id.serverID) && !queue.rows.contains(where: row.isSame)
      }
      for row in gone { try await report("gone", row, context) }
      open = rows + open.filter { !queue.answered.contains($0.id.serverID) }
      try await context.loop.sleep(for: pause)
    }
  }

  private static func report(_ word: String, _ row: ListedRequest, _ context: Context) async throws
  {
    let document = JSONValue.object(
      JSONObject([("type", .string(word)), ("at", .string(context.now().iso8601))])
        .adding(ListedRequest.shape.object(of: row))
    )
    try await context.output.print([document], or: lines(word, row, context.output.policy))
  }

  private static func lines(
    _ word: String,
    _ row: ListedRequest,
    _ policy: OutputPolicy
  ) -> [StyledText] {
    guard policy.form == .terminal else {
      let values = ApprovalsList.list.values(of: [row])
      return Table(plain: values) { [word] + $0 }.tabSeparated().map { StyledText($0) }
    }
    var line = StyledText("\(word)  ", word == "gone" ? .dim : .warning)
    line.append("\(row.approval.id)  ", .name)
    guard word != "gone" else { return [line.with(StyledText(row.approval.summary, .dim))] }
    line = line.with(row.riskText)
    line.append("  \(row.timeLeft)  ", .dim)
    line.append(row.approval.call)
    guard DisplayWidth.of(line.plain) > policy.width else { return [line] }
    return [StyledText(word, .warning)] + ApprovalsList.lines([row], width: policy.width)
  }
}
