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

  static let command = CommandSpec<Context>(
    "test",
    "Try to reach the servers with their tokens",
    exitStatuses: [0, 69, 75, 77, 78],
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

  static func run(_ options: Options, in context: Context) async throws {
    var servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    if let name = options.name { servers = [try servers.named(name)] }
    let limit = context.options.timeout ?? WorkspaceQuery.limit
    let trials = await withTaskGroup(of: Trial.self) { group in
      for server in servers { group.addTask { await trial(of: server, limit, in: context) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    .sorted { $0.server.name < $1.server.name }
    try report(trials, in: context)
    if let error = trials.lazy.compactMap(\.error).first {
      throw ReportedStatus(status: error.code.status)
    }
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

  private static func report(_ trials: [Trial], in context: Context) throws {
    if context.console.policy.isJSON {
      let rows: [JSONValue] = trials.map { trial in
        .members([
          "id": .string(trial.server.id.text),
          "name": .string(trial.server.name),
          "ok": .bool(trial.error == nil),
          "elapsedMs": .integer(Int64(trial.elapsed.milliseconds)),
          "error": trial.error.map { $0.json["error"] },
        ])
      }
      return try context.console.print(["servers": .array(rows)])
    }
    var table = Table()
    for trial in trials {
      table.add([
        StyledText(trial.server.name, .name),
        trial.error == nil ? StyledText("ok", .success) : StyledText("failed", .error),
        StyledText("\(trial.elapsed.milliseconds) ms", .dim),
        StyledText(trial.error?.message ?? ""),
      ])
    }
    try context.console.print(table)
    for error in trials.compactMap(\.error) {
      for hint in error.hints { context.console.status(StyledText("hint: \(hint)")) }
    }
  }
}
