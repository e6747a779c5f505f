// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiRendering
import OppiTransport

/// `oppi servers test`: tests whether servers are reachable and accept their tokens.
enum ServersTest {
  struct Options: Sendable, Equatable {
    var name: String?
  }

  static let command: Command = Command(
    "test",
    "Test the connections to the paired servers",
    discussion: """
      In a pipe each line has, separated by tabs: name, ok or failed, elapsed time, and error.
      """,
    exitStatuses: [0, 69, 75, 76, 77, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .positional("name", completion: .dynamic("server"), \.name, "Test only this server")
    ],
    run: run
  )
  .listing("test")

  private struct Trial {
    var server: PairedServer
    var elapsed: Duration
    var error: OppiError?
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    if let name = options.name { servers = [try servers.named(name)] }
    let limit = context.options.timeout ?? Fleet.limit
    let answers = try await context.fleet(of: servers).answers(within: limit) {
      (client, server, deadline) throws(IntentError) in
      try await client.me(until: deadline)
      return try await client.info(until: deadline)
    }
    for answer in answers {
      guard case .success(let info?) = answer.result else { continue }
      _ = await context.intents.remember(info, of: answer.server)
    }
    let trials = answers.map { answer in
      Trial(server: answer.server, elapsed: answer.elapsed, error: answer.error)
    }
    return report(trials.sorted { $0.server.name < $1.server.name })
  }

  /// Fails with the first error; the hints of the others follow the table.
  private static func report(_ trials: [Trial]) -> Report {
    let table = Table(
      trials,
      roles: [.kept, .kept, .detail(1), .decides],
      headers: ["NAME", "RESULT", "TIME", "ERROR"]
    ) { trial in
      [
        StyledText(trial.server.name, .name),
        trial.error == nil ? StyledText("ok", .success) : StyledText("failed", .error),
        StyledText("\(trial.elapsed.milliseconds) ms", .dim),
        StyledText(trial.error?.message ?? ""),
      ]
    }
    let errors = trials.compactMap(\.error)
    return Report(
      shape.document(of: trials),
      .table(table),
      notes: errors.dropFirst().flatMap(\.hints).map(Report.Note.hint),
      failure: errors.first
    )
  }

  private static let shape: JSONShape<[Trial]> = [
    .list("test", formerly: "servers", "The tested servers", trialShape) { $0 }
  ]

  private static let trialShape: JSONShape<Trial> = [
    .text("id", "Its identity") { $0.server.id.text },
    .text("name", "Its local name") { $0.server.name },
    .member("ok", "Whether the server accepted the token") { .bool($0.error == nil) },
    .number("elapsedMs", "The elapsed time") { $0.elapsed.milliseconds },
    .member("error", "The error, if any: code, message, hints, status") { $0.error?.json["error"] },
  ]
}
