// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The state of servers, and the reports to the service manager.
extension WatchRoom {
  /// The paired servers if the list has changed.
  ///
  /// If the list cannot be read, the watch continues with the known servers.
  mutating func otherServers(
    than servers: [PairedServer]
  ) async throws -> [PairedServer]? {
    do {
      let present = try self.servers()
      listTrouble = nil
      return present.map(\.asPaired) == servers.map(\.asPaired) ? nil : present
    } catch let error as FileError {
      let message = context.reporter.reason(of: error).message
      if listTrouble != message { await context.reporter.warn(message) }
      listTrouble = message
      return nil
    }
  }

  /// Handles a query's result; returns whether the server was unreachable or unknown before.
  mutating func take(
    _ look: ServerWatch.Look,
    of server: PairedServer
  ) async -> Bool {
    guard let index = fleet.servers.firstIndex(where: { $0.id == server.id }) else { return false }
    switch look {
    case .success(let overview):
      let isFirst = requests[server.id] == nil
      fleet.servers[index] = ServerStatus(overview, in: context.turnWords)
      let ended = overview.endedTurns(knowing: turns[server.id])
      if turns[server.id] != ended {
        turns[server.id] = ended
        context.rememberTurns(of: [overview])
      }
      requests[server.id] = Dictionary(grouping: overview.requests, by: \.id)
      if rules.escalates { escalation.take(overview) }
      for place in unsettled where place.serverID == server.id {
        alerts.forgetShown(of: place)
        unsettled.remove(place)
      }
      guard troubles.removeValue(forKey: server.id) != nil else { return isFirst }
      printer.tell(.serverBack(name: server.name))
      return true
    case .failure(let error):
      let known = fleet.servers[index]
      let message = context.reporter.reason(of: error).message
      fleet.servers[index] = ServerStatus(server, failure: message, known: known)
      if troubles.updateValue(message, forKey: server.id) == nil {
        await context.reporter.warn(message)
      }
      return false
    }
  }

  // MARK: - The service manager

  /// Reports to the service manager that the watch is ready and alive.
  mutating func reportToManager() {
    if !isReady, fleet.servers.allSatisfy({ $0.contactAt != nil || $0.failure != nil }) {
      isReady = true
      manager.ready()
    }
    guard let interval = manager.watchdogInterval else { return }
    if aliveAt.map({ loop.now >= $0 + min(interval, Self.tick) }) ?? true {
      aliveAt = loop.now
      manager.alive()
    }
  }
}

extension PairedServer {
  /// The server without what was detected.
  fileprivate var asPaired: PairedServer {
    var server = self
    (server.dialect, server.version) = (nil, nil)
    return server
  }
}
