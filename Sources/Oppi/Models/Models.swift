// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

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
    members: ModelsReport.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Only models of this workspace's server")
    ],
    run: run
  )
  .listing("models")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, _) = try await context.fleet(inWorkspace: options.workspace)
    let answers = try await fleet.answers { (client, _, deadline) throws(IntentError) in
      try await client.listModels(until: deadline)
    }
    let isOnlyServer = try context.servers().count == 1
    var report = ModelsReport(answers, isOnlyServer: isOnlyServer).report
    report.afterwards = { context.remember(answers) }
    return report
  }
}

extension Context {
  /// Stores the servers' lists for completion.
  fileprivate func remember(_ answers: [Fleet.Answer<[LanguageModel]>]) {
    var lists: [Fingerprint: [LanguageModel]] = [:]
    for answer in answers { lists[answer.server.id] = try? answer.result.get() }
    // Without the list of servers, the lists of forgotten ones cannot be removed.
    guard let paired = try? intents.serverStore.load().servers.map(\.id) else { return }
    intents.modelCache.store(lists, of: paired)
  }
}

/// The models of several servers as rows, and the errors of servers.
struct ModelsReport {
  struct Row {
    let server: PairedServer
    let model: LanguageModel
  }

  /// Sorted by server name, in each server's order.
  private let rows: [Row]
  private let failures: FleetFailures
  private let isOnlyServer: Bool

  init(_ answers: [Fleet.Answer<[LanguageModel]>], isOnlyServer: Bool) {
    let sorted = answers.sorted {
      ($0.server.name, $0.server.id.text) < ($1.server.name, $1.server.id.text)
    }
    rows = sorted.flatMap { answer in
      ((try? answer.result.get()) ?? []).map { Row(server: answer.server, model: $0) }
    }
    failures = FleetFailures(answers)
    self.isOnlyServer = isOnlyServer
  }

  /// Warns of servers that could not be queried; fails with the first error if all failed.
  var report: Report {
    var report = Report(
      Self.shape.document(of: self),
      .table { eyesTable },
      pipe: .table { pipeTable },
      status: rows.isEmpty && failures.errors.isEmpty ? "no models" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
    report.isLong = rows.count > 1000
    return report
  }

  private var eyesTable: Table {
    Table(
      rows,
      roles: [.kept, .context, .detail(2), .detail(1), .kept],
      headers: ["MODEL", "SERVER", "CONTEXT", "NAME", "DEFAULT"]
    ) { row in
      let tokens = row.model.contextWindow.map { "\(Self.short($0)) tokens" } ?? ""
      return [
        StyledText(row.model.id, .name),
        StyledText(isOnlyServer ? "" : row.server.name),
        StyledText(tokens, .dim),
        StyledText(row.model.name, .dim),
        StyledText(row.model.isDefault ? "default" : "", .success),
      ]
    }
  }

  private var pipeTable: Table {
    Table(plain: rows) { row in
      [
        row.model.id, row.server.name, row.model.provider,
        row.model.contextWindow.map(String.init) ?? "", row.model.name,
      ]
    }
  }

  /// A number of tokens in thousands or millions.
  private static func short(_ tokens: Int) -> String {
    if tokens >= 1_000_000 { return "\(tokens / 1_000_000)M" }
    return tokens >= 1000 ? "\(tokens / 1000)k" : String(tokens)
  }

  // MARK: - JSON

  static let shape: JSONShape<ModelsReport> = [
    .list("models", "The models of all servers", rowShape) { $0.rows },
    .member("errors", "Errors of servers that could not be queried") {
      .array($0.failures.errors.map { .string($0.message) })
    },
  ]

  private static let rowShape: JSONShape<Row> = [
    .text("id", "Its id, for -m") { $0.model.id },
    .text("name", "Its name") { $0.model.name },
    .text("provider", "Its provider") { $0.model.provider },
    .number("contextWindow", "Its context window in tokens, or null") { $0.model.contextWindow },
    .member("default", "Whether it is the server's default; false if unknown") {
      .bool($0.model.isDefault)
    },
    .member("thinkingLevels", "Its thinking levels; empty if unknown") {
      .array($0.model.thinkingLevels.map(JSONValue.string))
    },
    .server { $0.server },
  ]
}
