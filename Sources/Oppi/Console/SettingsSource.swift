// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTerminal

/// The paired servers: access, devices, policy, learned rules, past decisions, notification rules.
struct SettingsSource: ItemSource {
  private(set) var items: [SettingsItem]?

  let title = "Settings"
  let opening = [ConsoleEffect.readSettings]

  func frame(in model: ConsoleModel) -> ListFrame {
    ListFrame(empty: "No servers.", unknown: items == nil ? ConsoleEmpty.loading : nil)
  }

  func rowCount(width: Int) -> Int { 1 }

  func copyText(of id: SettingsItem.ID, in model: ConsoleModel) -> String? {
    if case .device(_, let deviceID) = id { deviceID } else { item(id)?.label }
  }

  func keys(for id: SettingsItem.ID?, in model: ConsoleModel) -> [KeyRow] {
    let item = item(id)
    let server = item.flatMap { model.board.server($0.id.serverID)?.name } ?? ""
    let removal = item.flatMap { ConsoleChange.remove($0, from: server) }.map(ConsoleAction.ask)
    var (isRule, signOut) = (false, ConsoleAction?.none)
    switch item?.id {
    case .rule?: isRule = true
    case .server(let id)?: signOut = .ask(.signOut(of: server, id))
    case .device?, nil: break
    }
    let openHelp =
      "Show access, policy and past decisions of the server, or the times of the device"
    let removeHelp = "End the access of the device, or remove the learned rule; asks first"
    let signOutHelp = "Remove the server from this machine; asks first"
    let mayChange = !model.isReadOnly
    return [
      .enter(.detail, help: openHelp, when: item != nil).spoken(1, "details"),
      KeyRow("x", isRule ? "remove" : "revoke", help: removeHelp, removal, when: mayChange)
        .spoken(2, isRule ? "remove the rule" : "revoke its access"),
      KeyRow("D", "sign out", help: signOutHelp, signOut, when: mayChange)
        .spoken(2, "remove the server from this machine"),
    ]
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    if case .settings(let found) = news { items = found }
    return false
  }
}

/// A row of the console's settings: a server, a device that is paired with it, or a learned rule.
struct SettingsItem: ListItem {
  enum ID: Sendable, Hashable {
    case server(Fingerprint)
    case device(Fingerprint, deviceID: String)
    case rule(Fingerprint, ruleID: String)

    var serverID: Fingerprint {
      switch self {
      case .server(let id), .device(let id, _), .rule(let id, _): id
      }
    }
  }

  let id: ID
  /// One line for the list.
  let line: StyledText
  /// The page about it.
  let detail: [StyledText]
  /// Whether it is a device whose access can be ended, or a rule that can be removed.
  let isRevocable: Bool
  /// Whether it is the device of this machine.
  var isOwn = false
  /// A label for questions, safe to show.
  let label: String

  init(
    id: ID,
    label: String,
    line: StyledText,
    detail: [StyledText],
    isRevocable: Bool = false
  ) {
    (self.id, self.label, self.line) = (id, label, line)
    (self.detail, self.isRevocable) = (detail, isRevocable)
  }

  init(_ row: ServerDevices.Row, now: Timestamp) {
    let device = row.device
    id = .device(row.server.id, deviceID: device.id)
    label = device.name.isEmpty ? device.id : "\(device.name) (\(device.id))"
    isRevocable = !device.isRevoked
    isOwn = row.isThis
    var line = StyledText("  \(label)")
    if row.isThis { line.append("  this machine", .success) }
    if device.isRevoked { line.append("  ✗ revoked", .warning) }
    let view = ListView(now: now)
    let ages = [view.ago("paired", device.createdAt), view.ago("used", device.lastUsedAt)]
      .compactMap(\.self)
    if !ages.isEmpty { line.append("  \(ages.joined(separator: ", "))", .dim) }
    self.line = line
    let times = [
      ("paired", device.createdAt), ("last used", device.lastUsedAt), ("revoked", device.revokedAt),
    ]
    detail =
      [StyledText("Device \(label) of \(row.server.name)", .heading)]
      + times.compactMap { word, moment in moment.map { StyledText("\(word) at \($0.iso8601)") } }
      + [StyledText(row.isThis ? "It is this machine's own access." : "", .dim)]
  }

  init(_ rule: ServerPolicy.Rule, of server: PairedServer) {
    id = .rule(server.id, ruleID: rule.id)
    label = rule.label
    isRevocable = true
    line = StyledText("  rule: ", .dim).with(PolicyText.line(of: rule))
    detail = [StyledText("Rule of \(server.name)", .heading)] + PolicyText.detail(of: rule)
  }

  var text: String { label }

  func rows(width: Int, isSelected: Bool) -> [StyledText] {
    [StyledText(isSelected ? "▸ " : "  ", .name).with(line).truncated(to: width)]
  }

  func detail(width: Int) -> [StyledText] { detail.flatMap { $0.folded(to: width) } }

  /// The kind and the name first, the times last.
  func spoken(width: Int) -> SpokenItem {
    let words = line.plain.split(separator: " ").joined(separator: " ")
    let spoken =
      switch id {
      case .server: "server \(words)"
      case .device: "device \(words)"
      case .rule: words
      }
    return SpokenItem(
      line: spoken,
      title: label,
      state: .init(text: "\(label) \(isRevocable)"),
      detail: detail
    )
  }
}
