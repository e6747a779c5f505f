// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
import OppiText
package import OppiWire

/// The ids of sessions or requests that servers had when they last answered.
package typealias SeenIDs = [Fingerprint: Set<String>]

extension SeenIDs {
  func have(_ id: String, on isMeant: (Fingerprint) -> Bool) -> Bool {
    contains { isMeant($0.key) && $0.value.contains(id) }
  }

  /// Whether an id starts with a name, of some servers or of all.
  package func start(with name: some StringProtocol, on servers: Set<Fingerprint>? = nil) -> Bool {
    contains { server, ids in
      servers?.contains(server) ?? true && ids.contains { $0.hasPrefix(name) }
    }
  }

  /// Whether an id that no server lists is gone: only servers that could be queried had it.
  package func showGone(_ id: String, unless unasked: Set<Fingerprint>) -> Bool {
    have(id) { !unasked.contains($0) } && !have(id, on: unasked.contains)
  }
}

extension Services {
  package var seenSessions: SeenIDs { seenIDs { [$0.id] } }

  /// The requests that servers listed, and those that this machine showed or replied to.
  package var seenRequests: SeenIDs {
    var seen = seenIDs { $0.approvals.map(\.id) }
    for shown in shownRequests.usable()?.entries ?? [] {
      guard let server = Fingerprint(shown.serverID) else { continue }
      seen[server, default: []].insert(shown.requestID)
    }
    for reply in (try? sentReplies.entries()) ?? [] {
      if let server = reply.serverID { seen[server, default: []].insert(reply.requestID) }
    }
    return seen
  }

  private func seenIDs(of ids: (SessionStatus) -> [String]) -> SeenIDs {
    var seen: SeenIDs = [:]
    for server in [statusFile.usable(), lastSeenFile.usable()].compactMap(\.self).flatMap(\.servers)
    where server.contactAt != nil {
      seen[server.id, default: []].formUnion(server.sessions.flatMap(ids))
    }
    return seen
  }
}

extension Services {
  /// The state of all sessions, written by a watching program for programs that do not query the
  /// servers.
  package var statusFile: RecordFile<FleetStatus> {
    RecordFile(paths.statusFile, in: files, .passing, isReplaceable: true)
  }

  /// The result of a command's last query, for completion.
  package var lastSeenFile: RecordFile<FleetStatus> {
    RecordFile(paths.sessionsFile, in: files, .passing, isReplaceable: true)
  }

  package var lastSeen: [ListedSession] {
    let files = [statusFile.usable(), lastSeenFile.usable()].compactMap(\.self)
    return (files.max { $0.at < $1.at }?.servers ?? []).flatMap { server in
      server.sessions.map { ListedSession(serverID: server.id, server: server.name, status: $0) }
    }
  }
}
