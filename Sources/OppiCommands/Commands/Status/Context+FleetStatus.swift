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
    let answers = try await OverviewQuery(fleet()).answers(.turns, known: knownTurns)
    rememberTurns(of: answers.compactMap { try? $0.result.get() })
    let known = intents.statusFile.load()?.servers ?? []
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

  /// What is known of turns that are over, without asking anybody.
  var knownTurns: EndedTurns { intents.turnsFile.load() }

  /// Keeps what the turns came to that are over, where that is news.
  func rememberTurns(of overviews: [ServerOverview]) {
    let known = knownTurns
    var turns = known
    for overview in overviews {
      let id = overview.server.id
      turns[id] = overview.endedTurns(knowing: known[id])
    }
    // What cannot be kept is asked for again.
    if turns != known { try? intents.turnsFile.store(turns) }
  }

  /// Keeps for completion what servers have said; what is known of the others stays.
  func remember(_ overviews: [ServerOverview]) {
    rememberTurns(of: overviews)
    let seen = overviews.map { ServerStatus($0).forSnapshot }
    let others = (intents.lastSeenFile.load()?.servers ?? []).filter { old in
      !seen.contains { $0.id == old.id }
    }
    // What cannot be kept is asked for again.
    try? intents.lastSeenFile.store(FleetStatus(at: now(), servers: seen + others))
  }

  /// The sessions as they were seen last, without asking anybody.
  var lastSeen: [SessionStatus] {
    let files = [intents.statusFile.load(), intents.lastSeenFile.load()].compactMap(\.self)
    return files.max { $0.at < $1.at }?.servers.flatMap(\.sessions) ?? []
  }
}
