// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension HealthCheck {
  /// Larger clock differences are reported.
  private static let clockTolerance = Duration.seconds(30)

  /// Whether the paired servers answer, are the ones that were paired, and have room for sessions.
  static func servers(_ subject: any DoctorSubject) async throws -> [HealthFact] {
    let servers = try subject.servers()
    guard !servers.isEmpty else { throw OppiError.notPaired }
    let fleet = subject.intents.fleet(of: servers)
    async let identities = fleet.answers { (calls, server) throws(OppiError) in
      try await calls.info()
    }
    async let devices = ServerDevices(in: subject.intents)
      .answers(of: servers.filter { $0.dialect?.credential.hasDevices == true })
    let answers = try await OverviewQuery(fleet)
      .answers(.turns, known: subject.intents.knownTurns)
    let strangers = try await identities.compactMap(\.stranger)
    let enrolments = try await devices
    return servers.flatMap { server -> [HealthFact] in
      if strangers.contains(server.id) {
        return [.failed(OppiError.otherServer(server: server.name))]
      }
      guard let answer = answers.first(where: { $0.server.id == server.id }) else { return [] }
      return facts(of: answer) + (enrolments.first { $0.server.id == server.id }.map(facts) ?? [])
    }
  }

  /// Whether the server knows this machine; nothing if it does not list its devices.
  private static func facts(of answer: Fleet.Answer<[ServerDevices.Row]?>) -> [HealthFact] {
    guard case .success(let rows?) = answer.result else { return [] }
    guard let own = rows.first(where: \.isThis)?.device, own.hasKey else {
      return [.unknownDevice(answer.server)]
    }
    if own.isRevoked {
      return [.failed(OppiError.accessRefused(.revoked, server: answer.server.name))]
    }
    return [.device(name: own.name, answer.server)]
  }

  private static func facts(of answer: Fleet.Answer<ServerOverview>) -> [HealthFact] {
    switch answer.result {
    case .failure(let error): return [.failed(error)]
    case .success(let overview):
      let server = overview.server
      var facts: [HealthFact] = [.answers(server, after: answer.elapsed)]
      if server.endpoint.scheme == .http, !server.endpoint.isHere { facts.append(.exposed(server)) }
      let offset = overview.clockOffset
      if max(offset, .zero - offset) > clockTolerance {
        facts.append(.clockOffset(offset, server))
      }
      if server.dialect?.requests == .dialogs { facts.append(.noGate(server)) }
      return facts + room(on: overview)
    }
  }

  /// The workspaces that are nearly full; if there are none, the server if it is nearly full.
  private static func room(on overview: ServerOverview) -> [HealthFact] {
    let loaded = overview.sessions.filter(\.isLoaded)
    let groups = Dictionary(grouping: loaded) { $0.workspaceID ?? "" }
    let crowded = groups.sorted { $0.key < $1.key }.compactMap { id, sessions -> HealthFact? in
      guard LoadLimits.isNearly(sessions.count, LoadLimits.ofWorkspace) else { return nil }
      let name = "\(overview.server.name)/\(sessions[0].workspaceName ?? id)".safeLine(limit: 120)
      return .crowdedWorkspace(name: name, count: sessions.count)
    }
    guard crowded.isEmpty, LoadLimits.isNearly(loaded.count, LoadLimits.ofServer) else {
      return crowded
    }
    return [.crowdedServer(overview.server, count: loaded.count)]
  }
}

extension Fleet.Answer {
  /// The paired server's identity if another server answers at its address.
  fileprivate var stranger: Fingerprint? {
    error?.reason == .otherServer ? server.id : nil
  }
}

extension Endpoint {
  /// Whether it is on this machine, by its host name.
  var isHere: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}

extension HealthCheck {
  /// Whether schedules can be read, their backends have them, and their last runs succeeded.
  static func schedules(_ subject: any DoctorSubject) async throws -> [HealthFact] {
    let context = subject.intents
    let (all, defects) = try await context.readSchedules { $0 }
    var facts = defects.map { HealthFact.failed($0) }
    let records = all.filter(\.schedule.isEnabled)
    let usesCron = records.contains { $0.schedule.backend == .cron }
    var crontab: Crontab?
    // `doctor --as cron` reads the crontab itself.
    if usesCron, subject.trigger == nil {
      do {
        crontab = try await context.crontab.load(within: TriggerEnvironment.limit)
      } catch {
        facts.append(.failed(error))
      }
    }
    for record in records { facts += Self.facts(of: record, crontab, subject) }
    if usesCron, context.crontab.isUnread { facts.append(.noCronDaemon) }
    return facts.isEmpty && !records.isEmpty ? [.schedules(count: records.count)] : facts
  }

  private static func facts(
    of record: ScheduleRecord,
    _ crontab: Crontab?,
    _ subject: any DoctorSubject
  ) -> [HealthFact] {
    let schedule = record.schedule
    let manager = subject.intents.userManager
    var facts: [HealthFact] = []
    let isWatched =
      switch schedule.backend {
      case .cron: crontab?.runs(schedule.name) ?? true
      case .systemd:
        manager.isEnabled((ScheduleUnits.name(of: schedule.name, "timer"), "timers.target"))
      }
    if !isWatched { facts.append(.unwatched(schedule)) }
    // A trigger's environment does not show whether a user manager is running.
    if subject.trigger == nil, schedule.backend == .systemd, !manager.isThere {
      facts.append(.unmanaged(schedule))
    }
    if let last = record.lastOutcome, isTrouble(last) { facts.append(.lastRun(last, of: schedule)) }
    return facts
  }

  private static func isTrouble(_ run: ScheduleRun) -> Bool {
    switch run.state {
    case ScheduleRun.State.failed, ScheduleRun.State.interrupted, "unknown",
      ScheduleRun.State.missed, ScheduleRun.State.skipped:
      true
    default: false
    }
  }
}
