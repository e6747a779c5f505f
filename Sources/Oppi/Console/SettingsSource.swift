// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The paired servers: access, devices, policy, learned rules, past decisions, notification rules.
struct SettingsSource: ListSource {
  /// `nil` until they were read.
  private var items: [SettingsItem]?

  let title = "Settings"
  let opening = [ConsoleEffect.settings(.read)]

  func frame(in model: ConsoleModel) -> ListFrame {
    ListFrame(empty: "No servers.", unknown: items == nil ? ConsoleEmpty.loading : nil)
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [SettingsItem] {
    (items ?? []).filter { text.isFound(in: [$0.label]) }
  }

  func columns(in model: ConsoleModel) -> [ListColumn<SettingsItem>] {
    [.cell("", .decides) { item, _ in item.line }]
  }

  func keys(for item: SettingsItem?, in model: ConsoleModel) -> [KeyRow] {
    let server = item.flatMap { model.board.server($0.id.serverID)?.name } ?? ""
    let removal = item.flatMap { ConsoleChange.remove($0, from: server) }
    let openHelp =
      "Show access, policy and past decisions of the server, or the times of the device"
    let removeHelp =
      "Remove the server from this machine, end the access of the device, or remove the rule; asks "
      + "first"
    return [
      .enter(.detail, help: openHelp, when: item != nil).spoken(1, "details"),
      KeyRow(
        "D",
        removal?.verb ?? "",
        help: removeHelp,
        removal.map(ConsoleAction.ask),
        when: !model.isReadOnly
      )
      .spoken(2, item?.removalWords ?? ""),
    ]
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    if let news = news.own(SettingsNews.self) { items = news.items }
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
  /// A label for questions, safe to show.
  let label: String
  /// One line for the list.
  let line: StyledText
  /// The page about it.
  let detail: [StyledText]
  /// Whether it is a device whose access can be ended, or a rule that can be removed.
  var isRevocable = false
  /// Whether it is the device of this machine.
  var isOwn = false
}

extension SettingsItem {
  /// What its removal is called in the line form.
  fileprivate var removalWords: String {
    switch id {
    case .server: "remove the server from this machine"
    case .device: "revoke its access"
    case .rule: "remove the rule"
    }
  }

  init(_ row: ServerDevices.Row, now: Timestamp) {
    let device = row.device
    id = .device(row.server.id, deviceID: device.id)
    label = device.label
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

  var copyText: String { if case .device(_, let deviceID) = id { deviceID } else { label } }

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    detail.flatMap { $0.folded(to: width) }
  }

  /// The kind and the name first, the times last.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
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
