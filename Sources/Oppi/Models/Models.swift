// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem
import OppiTerminal

/// `oppi models`: the models of the paired servers.
enum Models {
  struct Options: Sendable, Equatable {
    var workspace: String?
  }

  static let command: Command = Command(
    "models",
    "List the models of all paired servers",
    discussion: """
      Queries all servers at the same time, each for at most 5 s (or --timeout). The first \
      column is the value for -m and for the setting 'model': 'oppi ask' sends nothing if the \
      server does not offer the model. With -w only the server of that workspace is queried.

      In a pipe each line has, separated by tabs: id, server, provider, context window in \
      tokens, and name. The list is cached for completion and for checking -m.
      """,
    examples: [
      ("oppi models", "List all models"),
      ("oppi models -w api --json", "List the models of a workspace's server as JSON"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: others.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Only models of this workspace's server")
    ],
    run: run
  )
  .listing([list])

  private struct Row {
    let server: PairedServer
    let model: LanguageModel

    /// A number of tokens in thousands or millions.
    var contextText: String? {
      model.contextWindow.map { tokens in
        if tokens >= 1_000_000 { return "\(tokens / 1_000_000)M tokens" }
        return tokens >= 1000 ? "\(tokens / 1000)k tokens" : "\(tokens) tokens"
      }
    }
  }

  private static let list = Listing<Row>(
    "models",
    "The models of all servers",
    [
      .text("id", "Its id, for -m") { $0.model.id },
      .text("name", "Its name") { $0.model.name },
      .text("provider", "Its provider") { $0.model.provider },
      .number("contextWindow", "Its context window in tokens, or null") { $0.model.contextWindow },
      .bool("default", "Whether it is the server's default; false if unknown") {
        $0.model.isDefault
      },
      .texts("thinkingLevels", "Its thinking levels; empty if unknown") { $0.model.thinkingLevels },
      .server { $0.server },
    ],
    columns: [
      .text("MODEL", .kept, .name) { $0.model.id },
      .server { $0.server.name },
      .text("CONTEXT", .detail(2), .dim) { $0.contextText },
      .text("NAME", .detail(1), .dim) { $0.model.name },
      .text("DEFAULT", .kept, .success) { $0.model.isDefault ? "default" : nil },
    ],
    pipe: ["id", "server.name", "provider", "contextWindow", "name"]
  )

  private static let others: JSONShape<FleetFailures> = [.errors { $0 }]

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, _) = try await context.fleet(inWorkspace: options.workspace)
    let answers = try await fleet.answers { (calls, _) throws(OppiError) in
      try await calls.listModels()
    }
    let failures = FleetFailures(answers)
    let sorted = answers.sorted {
      ($0.server.name, $0.server.id.text) < ($1.server.name, $1.server.id.text)
    }
    let rows = sorted.flatMap { answer in
      (answer.value ?? []).map { Row(server: answer.server, model: $0) }
    }
    var report = list.report(
      rows,
      in: context,
      isOnlyServer: try context.servers().count == 1,
      others: others.object(of: failures),
      status: rows.isEmpty && failures.errors.isEmpty ? "no models" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
    report.isLong = rows.count > 1000
    report.afterwards = { context.remember(answers) }
    return report
  }
}

extension Context {
  /// Stores the servers' lists for completion.
  fileprivate func remember(_ answers: [Fleet.Answer<[LanguageModel]>]) {
    var lists: [Fingerprint: [LanguageModel]] = [:]
    for answer in answers { lists[answer.server.id] = answer.value }
    // Without the list of servers, the lists of forgotten ones cannot be removed.
    guard let paired = try? intents.serverStore.load().servers.map(\.id) else { return }
    intents.modelCatalog.store(lists, of: paired)
  }
}
