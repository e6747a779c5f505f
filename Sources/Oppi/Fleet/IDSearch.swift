// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Chooses what a user names, by its id or a unique start of it, from what the servers listed.
struct IDSearch<Item> {
  enum Finding {
    case found(Item)
    case several([Item])
    /// The only match of the servers that answered; this one had the same id when it last did.
    case shared(Item, with: PairedServer)
    case nothing
    /// The only match of the servers that answered; this failure may hide another.
    case unconfirmed(Item, IntentError)
    /// No match on the servers that answered; it may be where this failure was.
    case unasked(IntentError)
  }

  var items: [(id: String, item: Item)]
  /// The servers that could not be queried, by name.
  var unasked: [Fleet.Failure]
  /// The ids that each server had when it last answered.
  var seen: SeenIDs = [:]
  /// Whether the ids that an unreachable server had exclude another match for the start of an id.
  var trustsSeen = false

  func find(_ name: some StringProtocol) -> Finding {
    let exact = items.filter { $0.id == name }
    let matches = exact.isEmpty ? items.filter { $0.id.hasPrefix(name) } : exact
    guard matches.count <= 1 else { return .several(matches.map(\.item)) }
    if let match = matches.first {
      // A whole id is random, so that another server has the same one only if it was seen there.
      if !exact.isEmpty {
        let twin = unasked.first { seen[$0.server.id]?.contains(String(name)) == true }
        return twin.map { .shared(match.item, with: $0.server) } ?? .found(match.item)
      }
      let doubt = unasked.first { mayHave(name, on: $0.server.id) }
      return doubt.map { .unconfirmed(match.item, $0.error) } ?? .found(match.item)
    }
    guard let first = unasked.first,
      !seen.showGone(String(name), unless: Set(unasked.map(\.server.id)))
    else { return .nothing }
    return .unasked(first.error)
  }

  private func mayHave(_ name: some StringProtocol, on server: Fingerprint) -> Bool {
    guard trustsSeen, let ids = seen[server] else { return true }
    return ids.contains { $0.hasPrefix(name) }
  }
}

/// The ids of sessions or requests that servers had when they last answered.
typealias SeenIDs = [Fingerprint: Set<String>]

extension SeenIDs {
  func have(_ id: String, on isMeant: (Fingerprint) -> Bool) -> Bool {
    contains { isMeant($0.key) && $0.value.contains(id) }
  }

  /// Whether an id that no server lists is gone: only servers that could be queried had it.
  func showGone(_ id: String, unless unasked: Set<Fingerprint>) -> Bool {
    have(id) { !unasked.contains($0) } && !have(id, on: unasked.contains)
  }
}

extension IntentContext {
  var seenSessions: SeenIDs { seenIDs { [$0.id] } }

  /// The requests that servers listed, and those that this machine replied to.
  var seenRequests: SeenIDs {
    var seen = seenIDs { $0.approvals.map(\.id) }
    for reply in (try? sentReplies.entries()) ?? [] {
      if let server = reply.serverID { seen[server, default: []].insert(reply.requestID) }
    }
    return seen
  }

  private func seenIDs(of ids: (SessionStatus) -> [String]) -> SeenIDs {
    var seen: SeenIDs = [:]
    for server in [statusFile.load(), lastSeenFile.load()].compactMap(\.self).flatMap(\.servers)
    where server.contactAt != nil {
      seen[server.id, default: []].formUnion(server.sessions.flatMap(ids))
    }
    return seen
  }
}
