// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// `oppi stop --idle`: ends the sessions whose agents are idle.
enum StopIdle {
  static func run(inWorkspace word: String?, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: word)
    let answers = await EndIdleSessions(fleet, timeout: context.options.timeout)
      .answers(inWorkspace: workspace?.workspace.id)
    let ended = answers.flatMap { answer in
      ((try? answer.result.get())?.ended ?? []).map { (server: answer.server, session: $0) }
    }
    let errors = FleetFailures(answers).errors + answers.flatMap(\.refusals)
    let words =
      switch ended.count {
      case 0: errors.isEmpty ? "no session has been idle for a minute" : "ended no session"
      case let count: "ended \(count.counted("session"))"
      }
    let table = Table(plain: ended) { server, session in
      ["\(server.name)/\(session.id)", session.workspaceName ?? "", session.goal ?? ""]
    }
    return Report(
      shape.document(of: ended),
      .table(table),
      status: StyledText(words),
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
  }

  typealias Ended = (server: PairedServer, session: Session)

  static let shape: JSONShape<[Ended]> = [
    .list("ended", "With --idle: the sessions that were ended", endedShape) { $0 }
  ]

  private static let endedShape: JSONShape<Ended> = [
    .text("sessionId", "The session") { $0.session.id },
    .workspace { ended in
      WorkspaceLabel(ended.session, on: ended.server)
    },
    .server { $0.server },
  ]
}

extension Fleet.Answer where Value == EndIdleSessions.Outcome {
  /// Why sessions could not be ended, as one error per server.
  fileprivate var refusals: [OppiError] {
    guard let outcome = try? result.get() else { return [] }
    let count = outcome.untriedCount
    let sessions = count.counted("idle session")
    guard let (_, cause) = outcome.failures.first else {
      guard count > 0 else { return [] }
      return [
        .untried(sessions, on: server.name, hint: Self.again)
      ]
    }
    var error = OppiError(cause)
    let names = outcome.failures.map { "\(server.name)/\($0.session.id)" }.joined(separator: ", ")
    let untried = count > 0 ? "; \(sessions) not tried" : ""
    error.message = "could not confirm that \(names) ended: \(error.message)\(untried)"
    // Hints about reaching the server do not apply, because it answered before.
    error.hints = [Self.again]
    return [error]
  }

  private static var again: String { "list the loaded sessions with: oppi sessions" }
}
