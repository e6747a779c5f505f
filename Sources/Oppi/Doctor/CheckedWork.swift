// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

// MARK: - Servers

extension CheckedProgram {
  /// Larger clock differences are reported.
  private static let clockTolerance = Duration.seconds(30)

  /// Whether the paired servers answer, are the ones that were paired, and have room for sessions.
  func pairedServers() async throws -> [Finding] {
    let servers = try context.pairedServers()
    let fleet = services.fleet(of: servers)
    async let identities = fleet.answers { (calls, server) throws(OppiError) in
      try await calls.info()
    }
    async let devices = ServerDevices(context: services)
      .answers(of: servers.filter { $0.dialect?.credential.hasDevices == true })
    let answers = try await fleet.overviews(.turns, known: services.knownTurns)
    let strangers = try await identities.filter { $0.error?.reason == .otherServer }
      .map(\.server.id)
    let enrolments = try await devices
    return servers.flatMap { server -> [Finding] in
      if strangers.contains(server.id) {
        return [.fault(OppiError.otherServer(server: server.name))]
      }
      guard let answer = answers.first(where: { $0.server.id == server.id }) else { return [] }
      let enrolment = enrolments.first { $0.server.id == server.id }.flatMap(Self.enrolment)
      return Self.findings(of: answer) + (enrolment.map { [$0] } ?? [])
    }
  }

  /// Whether the server knows this machine; nothing if it does not list its devices.
  private static func enrolment(_ answer: Fleet.Answer<[ServerDevices.Row]?>) -> Finding? {
    guard case .success(let rows?) = answer.result else { return nil }
    let server = answer.server.name
    guard let own = rows.first(where: \.isThis)?.device, own.hasKey else {
      return .warning("\(server) does not list this machine's key", hints: [OppiError.pairAgain])
    }
    if own.isRevoked { return .fault(OppiError.accessRefused(.revoked, server: server)) }
    return .ok("\(server) lists this machine as '\(own.name)'")
  }

  private static func findings(of answer: Fleet.Answer<ServerOverview>) -> [Finding] {
    guard let overview = answer.value else { return answer.error.map { [.fault($0)] } ?? [] }
    let server = overview.server
    let trust = server.certificatePin == nil ? "" : ", matches the pinned certificate"
    var findings: [Finding] = [
      .ok(
        "\(server.name) answers in \(answer.elapsed.milliseconds) ms\(trust) "
          + "and accepts the token"
      )
    ]
    if server.endpoint.scheme == .http, !server.endpoint.isHere {
      findings.append(
        .note(
          "the connection to \(server.name) has no TLS; the token can be read in transit",
          hints: ["use a private network such as a VPN, or pair again with https"]
        )
      )
    }
    let offset = overview.clockOffset
    let distance = max(offset, .zero - offset)
    if distance > clockTolerance {
      let way = offset > .zero ? "behind" : "ahead of"
      findings.append(
        .warning(
          "this machine's clock is \(ElapsedTime.text(distance)) \(way) that of \(server.name)",
          hints: ["synchronize the clocks: timedatectl set-ntp true"]
        )
      )
    }
    if server.dialect?.requests == .dialogs {
      findings.append(
        .note("\(server.name) runs tools without approval, unless an extension asks")
      )
    }
    return findings + room(on: overview)
  }

  /// The workspaces that are nearly full; if there are none, the server if it is nearly full.
  private static func room(on overview: ServerOverview) -> [Finding] {
    func crowded(_ name: String, _ count: Int, _ limit: Int, _ option: String) -> Finding? {
      guard LoadLimits.isNearly(count, limit) else { return nil }
      return .warning(
        "\(name) has \(count) of \(limit) sessions loaded (default limit)",
        hints: ["end idle sessions: oppi stop --idle \(option) '\(name)'"]
      )
    }
    guard let limits = LoadLimits(of: overview.server.dialect) else { return [] }
    let server = overview.server.name
    let loaded = overview.sessions.filter(\.isLoaded)
    let groups = Dictionary(grouping: loaded) { $0.workspaceID ?? "" }
    let findings = groups.sorted { $0.key < $1.key }.compactMap { id, sessions -> Finding? in
      let name = "\(server)/\(sessions[0].workspaceName ?? id)".safeLine(limit: 120)
      return crowded(name, sessions.count, limits.ofWorkspace, "-w")
    }
    guard findings.isEmpty else { return findings }
    return [crowded(server, loaded.count, limits.ofServer, "--server")].compactMap(\.self)
  }
}

extension Endpoint {
  /// Whether it is on this machine, by its host name.
  var isHere: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}

// MARK: - Shortcuts

extension CheckedProgram {
  /// Codes that leave a server's workspaces unknown.
  private static let silences: Set<OppiError.Code> = [
    .serverUnreachable, .serverError, .timedOut, .tooManyRequests, .notPaired, .noToken,
    .unauthorized, .pinMismatch, .certificateRejected, .tlsUnavailable,
  ]

  /// Whether shortcuts can be read and their workspaces exist.
  func shortcuts() async throws -> [Finding] {
    let resolver = WorkspaceResolver(
      servers: try context.servers(),
      query: services.workspaceQuery,
      limit: services.answerLimit
    )
    let names = try context.shortcuts.all()
    var findings: [Finding] = []
    var unknown = 0
    for name in names {
      do {
        let workspace = try context.shortcuts.shortcut(name).workspace
        if let workspace { _ = try await resolver.resolve(workspace) }
      } catch {
        var finding = Finding.fault(error)
        // An unreachable server is reported once, by its own check.
        if let code = finding.code, Self.silences.contains(code) {
          unknown += 1
        } else {
          finding.message = "\(name.text): \(finding.message)"
          findings.append(finding)
        }
      }
    }
    let words = names.count.counted("shortcut")
    if unknown > 0 {
      findings.append(.note("\(words); could not check \(unknown) against a server"))
    } else if !names.isEmpty, findings.isEmpty {
      findings.append(.ok(words))
    }
    return findings
  }
}

// MARK: - Schedules

extension CheckedProgram {
  /// Whether schedules can be read, their backends have them, and their last runs succeeded.
  func schedules() async throws -> [Finding] {
    let (all, defects) = try await services.readSchedules { $0 }
    var findings = defects.map { Finding.fault($0) }
    let records = all.filter(\.schedule.isEnabled)
    let usesCron = records.contains { $0.schedule.backend == .cron }
    var crontab: Crontab?
    // `doctor --as cron` reads the crontab itself.
    if usesCron, trigger == nil {
      do {
        crontab = try await services.crontab.load(within: TriggerEnvironment.limit)
      } catch {
        findings.append(.fault(error))
      }
    }
    for record in records { findings += self.findings(of: record, crontab) }
    if usesCron, services.crontab.isUnread {
      findings.append(
        .warning(Schedules.unread, hints: ["start it: sudo systemctl enable --now cron"])
      )
    }
    return findings.isEmpty && !records.isEmpty
      ? [.ok(records.count.counted("schedule"))] : findings
  }

  private func findings(of record: ScheduleRecord, _ crontab: Crontab?) -> [Finding] {
    let (schedule, manager) = (record.schedule, services.userManager)
    let (isWatched, defect) =
      switch schedule.backend {
      case .cron: (crontab?.runs(schedule.name) ?? true, "it is not in the crontab")
      case .systemd:
        (
          manager.isEnabled((ScheduleUnit.timer.name(of: schedule.name), "timers.target")),
          "its timer is not enabled"
        )
      }
    var findings: [Finding] = []
    if !isWatched {
      findings.append(
        .fault(
          .badConfiguration,
          "schedule \(schedule.name) does not run: \(defect)",
          hints: ["resume it with: oppi schedule resume \(schedule.name)"]
        )
      )
    }
    // A trigger's environment does not show whether a user manager is running.
    if trigger == nil, schedule.backend == .systemd, !manager.isThere {
      findings.append(
        .warning(
          "schedule \(schedule.name) requires the systemd user manager, which is not running",
          hints: [Finding.lingering]
        )
      )
    }
    return findings + [record.lastOutcome.flatMap { trouble(in: $0, schedule) }].compactMap(\.self)
  }

  private func trouble(in run: ScheduleRun, _ schedule: Schedule) -> Finding? {
    typealias State = ScheduleRun.State
    let states = [State.failed, State.interrupted, "unknown", State.missed, State.skipped]
    guard states.contains(run.state) else { return nil }
    let words = "the last run of \(schedule.name) was \(run.state)"
    let hints = ["list its runs with: oppi schedule list"]
    guard run.isRun else { return .note(words, hints: hints) }
    return .warning(words + (run.error.map { ": \($0)" } ?? ""), hints: hints)
  }
}

// MARK: - The outbox

extension CheckedProgram {
  /// Whether the outbox can deliver its prompts.
  func outbox() async throws -> [Finding] {
    var counts: [String: Int] = [:]
    var findings: [Finding] = []
    // A damaged list of servers is reported once, by its own check.
    let paired = (try? context.serverStore.load().servers).map { Set($0.map(\.id)) }
    for key in try services.outbox.keys() {
      do {
        if var prompt = try services.outbox.load(key), prompt.isQueued {
          prompt.expire(at: services.now())
          if prompt.isOpen, paired?.contains(prompt.target.serverID) == false {
            findings.append(.fault(OppiError.noLongerPaired(prompt)))
          } else {
            counts[prompt.state.word, default: 0] += 1
          }
        }
      } catch {
        findings.append(.fault(error))
      }
    }
    let waiting = [QueuedPrompt.waitingWord, "checking"].compactMap { counts[$0] }.reduce(0, +)
    if waiting > 0 {
      do {
        findings.append(try await waitingPrompts(waiting.counted("queued prompt")))
      } catch {
        findings.append(.fault(error))
      }
    }
    for (state, meaning) in [("unknown", "may have run"), ("failed", "did not run")] {
      guard let count = counts[state] else { continue }
      findings.append(
        .warning(
          "\(count.counted("prompt")) \(meaning); not reviewed yet",
          hints: ["list them with: oppi outbox list --all"]
        )
      )
    }
    return findings.isEmpty ? [.ok("no queued prompts")] : findings
  }

  private func waitingPrompts(_ words: String) async throws -> Finding {
    // A trigger's environment does not show which units are running.
    guard trigger == nil else { return .ok(words) }
    switch try await services.promptDeliverer(among: context.backgroundUnits) {
    case .watch: return .ok("\(words), delivered by oppi watch")
    case .unit(let name): return .ok("\(words), delivered by \(name)")
    case .crontab: return .ok("\(words), delivered by your crontab")
    case .nothing:
      return .warning("\(words), not delivered automatically", hints: PromptDeliverer.remedies)
    }
  }
}
