// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiTransport

/// `oppi servers test`: tells whether each server can be reached and takes the token.
enum ServersTest {
  struct Options: Sendable, Equatable {
    var name: String?
  }

  static let command = Command(
    "test",
    "Try to reach the servers with their tokens",
    exitStatuses: [0, 69, 75, 77, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .positional("name", completion: .dynamic("server"), \.name, "Only this server")
    ],
    run: run
  )

  /// How one server did.
  private struct Trial {
    var server: PairedServer
    var elapsed: Duration
    var error: OppiError?
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    if let name = options.name { servers = [try servers.named(name)] }
    let limit = context.options.timeout ?? WorkspaceQuery.limit
    let trials = await withTaskGroup(of: Trial.self) { group in
      for server in servers { group.addTask { await trial(of: server, limit, in: context) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    .sorted { $0.server.name < $1.server.name }
    return report(trials)
  }

  private static func trial(
    of server: PairedServer,
    _ limit: Duration,
    in context: Context
  ) async -> Trial {
    let start = context.loop.now
    var error: OppiError?
    do {
      let client = try await context.connections.client(for: server)
      try await client.me(until: start + limit)
    } catch let failure {
      error = OppiError(failure)
    }
    return Trial(server: server, elapsed: start.duration(to: context.loop.now), error: error)
  }

  /// The first failure decides; the others tell their remedies beside the table.
  private static func report(_ trials: [Trial]) -> Report {
    var table = Table()
    for trial in trials {
      table.add([
        StyledText(trial.server.name, .name),
        trial.error == nil ? StyledText("ok", .success) : StyledText("failed", .error),
        StyledText("\(trial.elapsed.milliseconds) ms", .dim),
        StyledText(trial.error?.message ?? ""),
      ])
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
    .list("servers", "The servers that were tried", trialShape) { $0 }
  ]

  private static let trialShape: JSONShape<Trial> = [
    .member("id", "Its identity") { .string($0.server.id.text) },
    .member("name", "What it is called here") { .string($0.server.name) },
    .member("ok", "Whether it took the token") { .bool($0.error == nil) },
    .member("elapsedMs", "How long that took") { .integer(Int64($0.elapsed.milliseconds)) },
    .member("error", "Why not: code, message, hints, status") { $0.error?.json["error"] },
  ]
}
