// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The state of servers, and the reports to the service manager.
extension WatchService {
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
      guard troubles.removeValue(forKey: server.id) != nil else { return isFirst }
      printer.report(.serverBack(name: server.name))
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

/// The steps for requests that stay pending.
extension WatchService {
  /// The jobs that are due.
  mutating func escalationJobs(at now: Timestamp, isQuiet: Bool) -> [Job] {
    let noting = escalation.noting(by: rules, in: context)
    let fleet = fleet
    let jobs = escalation.jobs(
      by: rules,
      at: now,
      isQuiet: isQuiet,
      canRemind: { fleet.session(at: $0.row.id.session) != nil },
      reportingTo: output,
      in: context
    )
    return ([noting].compactMap(\.self) + jobs).map { job in { .escalation(await job()) } }
  }

  /// Takes the result of such a job, and reports it.
  mutating func take(
    _ news: WatchEscalation.News,
    at now: Timestamp,
    isQuiet: Bool
  ) async throws {
    if let error = escalation.take(news, at: loop.now) {
      await context.reporter.warn(context.reporter.reason(of: error).message)
    }
    switch news {
    case .claimed(.again, _, let own):
      for effect in alerts.remind(own.filter(escalation.isPending).compactMap(reminder)) {
        try perform(effect, at: now)
      }
    case .passed(let pending, let failure):
      if let failure { await context.reporter.warn("notify.escalate failed: \(failure)") }
      printer.report(.passed(pending.row, isSent: failure == nil, at: now))
    case .denied(let pending, let result):
      printer.report(.denied(pending.row, result, at: now))
      let outcome = try? result.get()
      guard let place = pending.row.id.session else { break }
      if !isQuiet {
        let (title, body) = output.note(onDenialOf: pending.row, result)
        let isSettled = outcome?.isSettled ?? false
        order(.show(desktop.notification(noting: title, body, at: place, isSettled: isSettled)))
      }
      settle(outcome, at: place)
    case .noted, .claimed, .unclaimed: break
    }
  }

  private func reminder(of pending: WatchEscalation.Pending) -> Alert? {
    let row = pending.row
    guard let place = row.id.session, let session = fleet.session(at: place) else { return nil }
    return Alert(
      place: place,
      kind: .again(row.approval, of: session.approvals.count),
      server: row.server,
      session: session
    )
  }
}

extension FleetStatus {
  fileprivate func session(at place: SessionPlace?) -> SessionStatus? {
    guard let place else { return nil }
    return servers.first { $0.id == place.serverID }?.sessions.first { $0.id == place.sessionID }
  }
}

/// The settings of a watch.
struct WatchRules: Sendable {
  var way: ServerWatch.Way
  var quietHours: QuietHours?
  /// The user's own notification command, with its arguments.
  var command: [String]?
  /// Whether desktop notifications are off.
  var isSilent: Bool
  /// The time after which a pending request is notified again, and then passed to the command.
  var again: Duration?
  /// The user's command for requests that stay pending, with its arguments.
  var escalationCommand: [String]?
  /// Finds the time after which the requests of a workspace are denied, `nil` for never.
  ///
  /// Its argument is `nil` for requests of an unknown workspace. It is `nil` itself if there is no
  /// such rule.
  var denyAfter: (@Sendable (WorkspaceReference?) async throws -> Duration?)?

  init(
    way: ServerWatch.Way,
    quietHours: QuietHours? = nil,
    command: [String]? = nil,
    isSilent: Bool = false
  ) {
    self.way = way
    self.quietHours = quietHours
    self.command = command
    self.isSilent = isSilent
  }

  var escalation: EscalationRules {
    EscalationRules(again: again, escalates: escalationCommand != nil)
  }

  /// Whether any step is taken for requests that stay pending.
  var escalates: Bool { again != nil || denyAfter != nil }
}
