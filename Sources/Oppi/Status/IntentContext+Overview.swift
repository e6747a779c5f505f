// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The last known state of sessions, stored for programs that do not query a server.
extension IntentContext {
  var knownTurns: EndedTurns { turnsFile.load() }

  /// Stores the results of ended turns, if any are new.
  func rememberTurns(of overviews: [ServerOverview]) {
    let known = knownTurns
    var turns = known
    for overview in overviews {
      let id = overview.server.id
      turns[id] = overview.endedTurns(knowing: known[id])
    }
    // On failure, they are requested again later.
    if turns != known { try? turnsFile.store(turns) }
  }

  /// Stores servers' answers for completion; keeps the stored state of other servers.
  func remember(_ overviews: [ServerOverview]) {
    rememberTurns(of: overviews)
    let seen = overviews.map { ServerStatus($0, in: turnWords).forSnapshot }
    let others = (lastSeenFile.load()?.servers ?? []).filter { old in
      !seen.contains { $0.id == old.id }
    }
    // On failure, they are requested again later.
    try? lastSeenFile.store(FleetStatus(at: now(), servers: seen + others))
  }

  var lastSeen: [BoardSession] {
    let files = [statusFile.load(), lastSeenFile.load()].compactMap(\.self)
    return (files.max { $0.at < $1.at }?.servers ?? []).flatMap { server in
      server.sessions.map { BoardSession(serverID: server.id, server: server.name, status: $0) }
    }
  }
}
