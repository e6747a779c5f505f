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
      CommandExample("oppi models", "List all models"),
      CommandExample(
        "oppi models -w api --json",
        "List the models of a workspace's server as JSON"
      ),
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
