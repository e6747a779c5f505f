// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering

/// `oppi approvals --watch`: requests as they appear and disappear.
enum ApprovalsWatch {
  /// The time between an answer and the next query.
  private static let pause = Duration.seconds(2)

  static func run(_ options: ApprovalsList.Options, in context: Context) async throws -> Report {
    var open: [ListedRequest] = []
    var troubles: Set<String> = []
    var noted: Set<Fingerprint> = []
    try await context.console.print(.step(status: "waiting for requests; press Ctrl-C to stop"))
    while true {
      let queue = try await ApprovalQueue.ask(context.fleet(), in: context.intents)
      let failures = FleetFailures(queue.answers).errors.map(\.message)
      for trouble in failures where !troubles.contains(trouble) {
        await context.console.warn(trouble)
      }
      troubles = Set(failures)
      let ungated = queue.ungated.filter { noted.insert($0.id).inserted }
      if let note = GateNote.text(of: ungated.map { ($0.name, .dialogs) }) {
        await context.console.status(StyledText("note: \(note)"))
      }
      let rows = queue.rows.filter(options.includes)
      for row in rows where !open.contains(where: row.isSame) {
        try await tell("requested", row, context)
      }
      // Requests of an unreachable server do not count as gone.
      let gone = open.filter { row in
        queue.answered.contains(row.server.id) && !queue.rows.contains(where: row.isSame)
      }
      for row in gone { try await tell("gone", row, context) }
      open = rows + open.filter { !queue.answered.contains($0.server.id) }
      try await context.loop.sleep(for: pause)
    }
  }

  private static func tell(_ word: String, _ row: ListedRequest, _ context: Context) async throws {
    let document = JSONValue.object(
      JSONObject([("type", .string(word)), ("at", .string(context.now().iso8601))])
        .adding(ListedRequest.shape.document(of: row).object ?? [:])
    )
    try await context.console.print([document], or: lines(word, row, context.console.policy))
  }

  private static func lines(
    _ word: String,
    _ row: ListedRequest,
    _ policy: OutputPolicy
  ) -> [StyledText] {
    guard policy.form == .eyes else {
      return ApprovalsList.pipeTable([row], after: word).tabSeparated().map { StyledText($0) }
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
