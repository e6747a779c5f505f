// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

extension Context {
  /// Asks all servers that the command is about how their sessions stand; one that fails has its
  /// failure, and what is known of it from the snapshot.
  ///
  /// - Throws: Where it is not even known which servers there are.
  func fleetStatus() async throws -> FleetStatus {
    let answers = try await OverviewQuery(fleet()).answers(.turns, known: intents.knownTurns)
    intents.rememberTurns(of: answers.compactMap { try? $0.result.get() })
    let known = intents.statusFile.load()?.servers ?? []
    return FleetStatus(
      at: now(),
      servers: answers.map { answer in
        switch answer.result {
        case .success(let overview): ServerStatus(overview, in: intents.turnWords)
        case .failure(let error):
          ServerStatus(
            answer.server,
            failure: OppiError(error).message,
            known: known.first { $0.id == answer.server.id }
          )
        }
      }
    )
  }
}
