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
    let answers = await OverviewQuery(try fleet()).answers(.turns)
    let known = statusFile.load()?.servers ?? []
    return FleetStatus(
      at: now(),
      servers: answers.map { answer in
        switch answer.result {
        case .success(let overview): ServerStatus(overview)
        case .failure(let error):
          ServerStatus(
            answer.server,
            failure: error,
            known: known.first { $0.id == answer.server.id }
          )
        }
      }
    )
  }
}
