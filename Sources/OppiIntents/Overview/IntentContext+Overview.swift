// SPDX-License-Identifier: MIT

package import OppiModel
import OppiSystem

/// What was seen of sessions, kept for programs that do not ask a server.
extension IntentContext {
  /// What is known of turns that are over.
  package var knownTurns: EndedTurns { turnsFile.load() }

  /// Keeps the results of turns that are over, if they are news.
  package func rememberTurns(of overviews: [ServerOverview]) {
    let known = knownTurns
    var turns = known
    for overview in overviews {
      let id = overview.server.id
      turns[id] = overview.endedTurns(knowing: known[id])
    }
    // What cannot be kept is asked for again.
    if turns != known { try? turnsFile.store(turns) }
  }

  /// Keeps for completion what servers have said; what is known of the others stays.
  package func remember(_ overviews: [ServerOverview]) {
    rememberTurns(of: overviews)
    let seen = overviews.map { ServerStatus($0, in: turnWords).forSnapshot }
    let others = (lastSeenFile.load()?.servers ?? []).filter { old in
      !seen.contains { $0.id == old.id }
    }
    // What cannot be kept is asked for again.
    try? lastSeenFile.store(FleetStatus(at: now(), servers: seen + others))
  }

  /// The sessions as they were seen last.
  package var lastSeen: [SessionStatus] {
    let files = [statusFile.load(), lastSeenFile.load()].compactMap(\.self)
    return files.max { $0.at < $1.at }?.servers.flatMap(\.sessions) ?? []
  }
}
