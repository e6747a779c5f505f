// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

enum SettingsEffect: TabEffect {
  case read
  /// End the access of a device to a server.
  case revoke(String, of: Fingerprint)
  /// Remove a rule from a server's policy.
  case removeRule(String, of: Fingerprint)
  /// Remove a server from this machine.
  case signOut(Fingerprint)
  /// Change a setting of this machine; an empty value removes it.
  case set(ConfigKey, to: String)

  var isChange: Bool { self != .read }

  func perform(in console: ConsoleLoop) async {
    let servers = console.servers
    do {
      if let note = try await console.change(self, servers) { console.report(.note(note)) }
    } catch {
      console.reportFailure("failed", error)
    }
    console.readConfig()
    await console.readSettings(of: servers)
  }
}

enum SettingsAction: TabAction {
  case edit(ShownSetting, choices: [String])
}

extension ConsoleAction {
  static func settings(_ action: SettingsAction) -> ConsoleAction { .own(action) }
}

/// The settings of this machine, and why they cannot be read, safe to show.
struct ConfigNews: TabNews {
  let items: [SettingsItem]
  var problem: String?
}

/// The servers and their devices.
struct SettingsNews: TabNews {
  let items: [SettingsItem]
}

extension ConsoleEffect {
  static func settings(_ effect: SettingsEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func settings(_ items: [SettingsItem]) -> ConsoleNews { .own(SettingsNews(items: items)) }
}

extension ConsoleLoop {
  /// The most past decisions on the page of a server.
  private static let auditLimit = 50

  /// Changes what a server or this machine permits, and returns the notice about it.
  fileprivate func change(
    _ effect: SettingsEffect,
    _ servers: [PairedServer]
  ) async throws -> String? {
    func server(_ id: Fingerprint) -> PairedServer? { servers.first { $0.id == id } }
    switch effect {
    case .read: return nil
    case .revoke(let deviceID, let serverID):
      guard let server = server(serverID) else { return nil }
      let devices = ServerDevices(context: context.services)
      let row = try await devices.device(named: deviceID, on: server)
      let wasPaired = try await devices.revoke(row)
      return "\(wasPaired ? "revoked" : "already revoked:") \(deviceID) on \(server.name)"
    case .removeRule(let ruleID, let serverID):
      guard let server = server(serverID) else { return nil }
      let api = try await context.connections.client(for: server)
      try await api.within(context.answerLimit).deletePolicyRule(ruleID)
      let rest = try await api.within(context.answerLimit).policy()?.rules ?? []
      let isGone = !rest.contains { $0.id == ruleID }
      return isGone ? "removed the rule" : "the rule is still on \(server.name)"
    case .signOut(let serverID):
      guard let server = server(serverID) else { return nil }
      let row = try Servers.row(named: server.name, in: context)
      let notes = try await ServersForget.run(row, in: context).notes
      let rest = servers.filter { $0.id != serverID }
      report(.paired(rest.map { ($0.id, $0.name) }))
      return notes.isEmpty ? "removed \(server.name)" : Self.text(of: notes)
    case .set(let key, let value):
      return try await ConfigSet.set(key, to: value, in: context).status?.plain
    }
  }

  private static func text(of notes: [Report.Note]) -> String {
    notes.map { note in
      switch note {
      case .warning(let text), .note(let text), .hint(let text): text
      }
    }
    .joined(separator: "; ").safeLine()
  }

  // MARK: - Reading

  fileprivate func readConfig() {
    do {
      let items = try ShownSetting.all(in: context).map { setting in
        let values = Complete.values(of: setting.key.general, in: context)
        return SettingsItem(setting, choices: values.map(\.value))
      }
      report(.own(ConfigNews(items: items)))
    } catch {
      report(.own(ConfigNews(items: [], problem: OppiError(error).message.safeLine(limit: 300))))
    }
  }

  fileprivate func readSettings(of servers: [PairedServer]) async {
    let paired = (try? context.serverStore.load().servers) ?? []
    let present = servers.compactMap { server in paired.first { $0.id == server.id } }
    let devices = (try? await ServerDevices(context: context.services).answers(of: present)) ?? []
    let audits =
      (try? await context.services.fleet(of: present).answers {
        (calls, _) throws(OppiError) in
        try await calls.audit(limit: Self.auditLimit, sessionID: nil)
      }) ?? []
    let policies =
      (try? await context.services.fleet(of: present).answers {
        (calls, _) throws(OppiError) in
        try await calls.policy()
      }) ?? []
    let rules = await notificationRules()
    let items = present.flatMap { server -> [SettingsItem] in
      let found = devices.first { $0.server.id == server.id }
      let audit = audits.first { $0.server.id == server.id }
      let policy = policies.first { $0.server.id == server.id }
      let page =
        access(to: server, found) + [StyledText()]
        + self.policy(of: server, policy) + [StyledText()] + self.audit(audit) + [StyledText()]
        + rules
      let address = "\(server.endpoint.description), \(server.versionWords)"
      let item = SettingsItem(
        id: .server(server.id),
        label: server.name,
        name: StyledText(server.name, .name),
        line: StyledText(address, .dim),
        detail: page
      )
      let rows = found.flatMap { try? $0.result.get() } ?? []
      let learned = policy.flatMap { try? $0.result.get() }?.rules.filter(\.isLearned) ?? []
      return [item] + rows.map { SettingsItem($0, now: context.now()) }
        + learned.map { SettingsItem($0, of: server) }
    }
    report(.settings(items))
  }

  private func access(
    to server: PairedServer,
    _ devices: Fleet.Answer<[ServerDevices.Row]?>?
  ) -> [StyledText] {
    let facts = [
      "name: \(server.name)", "address: \(server.endpoint.description)",
      "identity: \(server.id.text)",
      "certificate: \(server.certificatePin?.text ?? "not pinned")",
      "paired at \(Timestamp(seconds: server.addedAt).iso8601)",
      "server: \(server.versionWords)",
    ]
    var lines = [StyledText("Pairing", .heading)] + facts.map { StyledText($0) }
    switch devices?.result {
    case .success(let rows?):
      let own = rows.first(where: \.isThis)?.device.id
      lines.append(StyledText("this machine: \(own.map { "device \($0)" } ?? "a token")"))
      lines.append(StyledText("devices with access: \(rows.count { !$0.device.isRevoked })"))
    case .success(nil):
      lines.append(StyledText("This server does not list devices; access is by a token.", .dim))
    case .failure(let error): lines.append(StyledText(error.message, .error))
    case nil: break
    }
    return lines
  }

  private func policy(
    of server: PairedServer,
    _ answer: Fleet.Answer<ServerPolicy?>?
  ) -> [StyledText] {
    let gate =
      GateNote.text(of: [(server.name, server.dialect?.requests)])
      ?? "\(server.name): the server holds tool calls that its rules do not allow, until you "
      + "approve them; a request that expires is denied"
    let head = [StyledText("Policy", .heading), StyledText(gate)]
    switch answer?.result {
    case .success(let policy?): return head + PolicyText.lines(of: policy)
    case .failure(let error): return head + [StyledText(error.message, .error)]
    case .success(nil), nil: return head
    }
  }

  private func audit(_ answer: Fleet.Answer<[AuditEntry]?>?) -> [StyledText] {
    let head = [StyledText("Past decisions, on the server's clock", .heading)]
    switch answer?.result {
    case .success(let entries?):
      let lines = entries.map { entry in
        var line = StyledText("\(entry.at.iso8601)  ", .dim)
        line.append(entry.isAllowed ? "✓ allowed" : "✗ denied", entry.isAllowed ? .success : .error)
        line.append(" by \(entry.decidedBy)\(entry.scope.map { " (\($0))" } ?? "")  ")
        line.append("\(entry.tool): \(entry.summary)")
        return line
      }
      return head + (lines.isEmpty ? [StyledText("none", .dim)] : lines)
    case .success(nil):
      return head + [StyledText("This server keeps no record of decisions.", .dim)]
    case .failure(let error): return head + [StyledText(error.message, .error)]
    case nil: return []
    }
  }

  /// The rules of 'oppi watch' on this machine.
  private func notificationRules() async -> [StyledText] {
    let head = [StyledText("Notifications of 'oppi watch'", .heading)]
    do {
      let settings = try await Config.load(in: context)
      let isPrivate = try settings.valueInEffect(of: .notifyPrivate) == BooleanSetting.true
      let quiet: QuietHours? = try settings.value(of: .notifyQuiet)
      return head + [
        StyledText(isPrivate ? "without content" : "with content"),
        StyledText(quiet == nil ? "no quiet hours" : "with quiet hours"),
        StyledText("change with: oppi config set notify.private, notify.quiet", .dim),
      ]
    } catch {
      return head + [StyledText(OppiError(error).message, .error)]
    }
  }
}

extension PairedServer {
  /// The version that its dialect shows; the dialect's name for a combination that was never
  /// released.
  fileprivate var versionWords: String {
    switch dialect {
    case .deviceKeys?: "version 0.47 or later"
    case .sessionSockets?: "version 0.42 to 0.46"
    case .multiplexed?: "version of spring 2026"
    case .perSession?: "version before spring 2026"
    case let dialect?: dialect.name
    case nil: "version unknown"
    }
  }
}
