// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi models`: what the paired servers offer for `--model`.
enum Models {
  struct Options: Sendable, Equatable {
    var workspace: String?
  }

  static let command: Command = Command(
    "models",
    "List the models of all paired servers",
    discussion: """
      All servers are asked at the same time, each for at most 5 s (or --timeout). The first column is \
      what -m and the setting 'model' take: 'oppi ask' sends nothing where the server does not offer \
      the model that is named. With -w it is the server of that workspace alone.

      In a pipe each line has, with tabs between them: id, server, provider, context window in \
      tokens, and name. What was listed is remembered for the completion and the check of -m.
      """,
    examples: [
      CommandExample("oppi models", "What there is to choose from"),
      CommandExample("oppi models -w api --json", "Those of one workspace's server, as JSON"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: ModelsReport.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Only those of this workspace's server")
    ],
    run: run
  )

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
  /// Keeps for completion what servers have said.
  fileprivate func remember(_ answers: [Fleet.Answer<[LanguageModel]>]) {
    var lists: [Fingerprint: [LanguageModel]] = [:]
    for answer in answers { lists[answer.server.id] = try? answer.result.get() }
    // Without the list of servers it is not known which of the kept lists are of use.
    guard let paired = try? intents.serverStore.load().servers.map(\.id) else { return }
    intents.modelCache.store(lists, of: paired)
  }
}
