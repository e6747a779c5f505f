// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiTurns
import OppiWire

/// The state of servers.
extension WatchService {
  /// Reads the list of paired servers.
  ///
  /// If the list cannot be read, the watch continues with the known servers.
  mutating func readServers() async throws {
    do {
      let present = try pairedNow()
      listTrouble = nil
      if present.map(\.asPaired) != paired.map(\.asPaired) { paired = present }
    } catch let error as FileError {
      let message = context.reporter.reason(of: error).message
      if listTrouble != message { await context.reporter.warn(message) }
      listTrouble = message
    }
  }

  /// Prepares to watch servers, and forgets all others.
  mutating func forgetServers(besides servers: [PairedServer]) {
    let known = fleet.servers
    turns = context.knownTurns
    fleet.servers = servers.map { server in
      known.first { $0.id == server.id } ?? ServerStatus(id: server.id, name: server.name)
    }
    let present = Set(servers.map(\.id))
    requests = requests.filter { present.contains($0.key) }
    escalation.keep(present)
    troubles = troubles.filter { present.contains($0.key) }
  }

  /// Handles a query's result.
  mutating func take(_ answer: ServerWatch.Answer, of server: PairedServer) async {
    guard let index = fleet.servers.firstIndex(where: { $0.id == server.id }) else { return }
    switch answer {
    case .success(let overview):
      // The server was unreachable, or is queried for the first time.
      var isBack = requests[server.id] == nil
      fleet.servers[index] = ServerStatus(overview)
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
      if troubles.removeValue(forKey: server.id) != nil {
        lines.send(.step(status: StyledText("\(server.name) is available again")))
        isBack = true
      }
      if let job = outbox.job(for: server, isBack: isBack, in: context) { jobs.append(job) }
    case .failure(let error):
      let known = fleet.servers[index]
      let message = context.reporter.reason(of: error).message
      fleet.servers[index] = ServerStatus(server, failure: message, known: known)
      if troubles.updateValue(message, forKey: server.id) == nil {
        await context.reporter.warn(message)
      }
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

/// Writes the file that `oppi status` and other programs read.
struct WatchSnapshot {
  /// Readers ignore an old snapshot, so it is written at least this often.
  private static let heartbeat = FleetStatus.writtenEvery - WatchService.tick

  private var storedAt: EventLoop.Instant?
  private var stored: [ServerStatus] = []
  /// The last error of writing; each cause is reported once.
  private var trouble: FileError?

  /// Writes the snapshot if it has changed or is due.
  mutating func keep(_ fleet: inout FleetStatus, in context: Services) async {
    let now = context.loop.now
    let isDue = storedAt.map { now >= $0 + Self.heartbeat } ?? true
    let present = fleet.servers.map(\.forSnapshot)
    guard isDue || present != stored else { return }
    fleet.at = context.now()
    do throws(FileError) {
      try context.statusFile.save(FleetStatus(at: fleet.at, servers: present))
      trouble = nil
    } catch {
      if error != trouble {
        await context.reporter.warn(context.reporter.reason(of: error).message)
      }
      trouble = error
    }
    (stored, storedAt) = (present, now)
  }
}
