// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension Context {
  /// Queries all servers of the command; a server that fails has its error, and its last state from
  /// the snapshot.
  ///
  /// - Throws: If the list of servers cannot be read, or the command is cancelled.
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
