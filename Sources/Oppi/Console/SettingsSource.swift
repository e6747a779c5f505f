// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The paired servers: access, devices, policy, learned rules, past decisions, notification rules;
/// and the settings of this machine.
struct SettingsSource: ListSource {
  /// `nil` until they were read.
  private var servers: [SettingsItem]?
  private var settings: [SettingsItem] = []
  /// Why the settings cannot be read.
  private var problem: String?

  let title = "Settings"
  let opening = [ConsoleEffect.settings(.read)]
  let needs = TableNeeds.list
  let hasHeaders = false

  func frame(in model: ConsoleModel) -> ListFrame {
    ListFrame(
      problems: [problem].compactMap(\.self),
      empty: "No servers.",
      unknown: servers == nil ? ConsoleEmpty.loading : nil
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [SettingsItem] {
    ((servers ?? []) + settings).filter { text.isFound(in: [$0.label]) }
  }

  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int { 2 }

  func heading(of item: SettingsItem, sortedBy column: String?) -> String? {
    item.setting == nil ? "Servers and devices" : "Settings"
  }

  func columns(in model: ConsoleModel) -> [ListColumn<SettingsItem>] {
    [
      .cell("", .kept) { item, _ in item.name },
      .cell("", .decides) { item, _ in item.line },
    ]
  }

  func keys(for item: SettingsItem?, in model: ConsoleModel) -> [KeyRow] {
    let server = item?.id.serverID.flatMap { model.board.server($0)?.name } ?? ""
    let removal = item.flatMap { ConsoleChange.remove($0, from: server) }
    let openHelp =
      "Show access, policy and past decisions of the server, or the times of the device; change the "
      + "setting"
    let removeHelp =
      "Remove the server from this machine, end the access of the device, or remove the rule; asks "
      + "first"
    let changing = model.isReadOnly ? nil : item?.changing
    var open = [KeyRow.enter(.detail, help: openHelp, when: item != nil).spoken(1, "details")]
    if let changing {
      open = [
        KeyRow([.enter], "Enter", "open", help: openHelp, changing),
        KeyRow([.right], "→", help: "Show what is known of the setting", .detail)
          .spoken(1, "details"),
      ]
    }
    return open + [
      KeyRow("e", "change", help: "Change the setting; asks before saving it", changing),
      KeyRow(
        "D",
        removal?.verb ?? "remove",
        help: removeHelp,
        removal.map(ConsoleAction.ask),
        when: !model.isReadOnly
      )
      .spoken(2, item?.removalWords ?? ""),
    ]
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    if let news = news.own(ConfigNews.self) { (settings, problem) = (news.items, news.problem) }
    guard let news = news.own(SettingsNews.self) else { return false }
    // The servers, which answer later, come above the settings.
    let isFirst = servers == nil
    servers = news.items
    return isFirst
  }

  mutating func perform(
    _ action: ConsoleAction,
    on item: SettingsItem?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    switch action.own(SettingsAction.self) {
    case .edit(let setting, let choices)?: SettingField(setting, choices: choices)
    case nil: nil
    }
  }
}

/// A row of the console's settings: a server, a device that is paired with it, a learned rule, or a
/// setting of this machine.
struct SettingsItem: ListItem {
  enum ID: Sendable, Hashable {
    case server(Fingerprint)
    case device(Fingerprint, deviceID: String)
    case rule(Fingerprint, ruleID: String)
    case setting(String)

    var serverID: Fingerprint? {
      switch self {
      case .server(let id), .device(let id, _), .rule(let id, _): id
      case .setting: nil
      }
    }
  }

  let id: ID
  /// A label for questions, safe to show.
  let label: String
  let name: StyledText
  /// What the list shows beside the name.
  let line: StyledText
  /// The page about it.
  let detail: [StyledText]
  /// Whether it is a device whose access can be ended, or a rule that can be removed.
  var isRevocable = false
  /// Whether it is the device of this machine.
  var isOwn = false
  /// `nil` unless it is a setting.
  var setting: ShownSetting?
  /// The known values of the setting.
  var choices: [String] = []
}

extension SettingsItem {
  /// What its removal is called in the line form.
  fileprivate var removalWords: String {
    switch id {
    case .server: "remove the server from this machine"
    case .device: "revoke its access"
    case .rule: "remove the rule"
    case .setting: ""
    }
  }

  /// The change of a setting that can be changed by a command with its name.
  fileprivate var changing: ConsoleAction? {
    guard let setting, setting.key.commandWords != nil else { return nil }
    return .settings(.edit(setting, choices: choices))
  }

  init(_ setting: ShownSetting, choices: [String]) {
    id = .setting(setting.key.name)
    label = setting.key.name
    name = StyledText(label, .name)
    line = setting.stateText
    detail = setting.page
    (self.setting, self.choices) = (setting, choices)
  }

  init(_ row: ServerDevices.Row, now: Timestamp) {
    let device = row.device
    id = .device(row.server.id, deviceID: device.id)
    label = device.label
    isRevocable = !device.isRevoked
    isOwn = row.isThis
    name = StyledText("  \(device.name.isEmpty ? device.id : device.name)")
    let view = ListView(now: now)
    let ages = [view.ago("paired", device.createdAt), view.ago("used", device.lastUsedAt)]
      .compactMap(\.self)
    let facts = [
      row.isThis ? StyledText("this machine", .success) : nil,
      device.isRevoked ? StyledText("✗ revoked", .warning) : nil,
      ages.isEmpty ? nil : StyledText(ages.joined(separator: ", "), .dim),
    ]
    line = facts.compactMap(\.self).reduce(StyledText()) { line, fact in
      line.isEmpty ? fact : line.with(StyledText("  ")).with(fact)
    }
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
    name = StyledText("  rule:", .dim)
    line = PolicyText.line(of: rule)
    detail = [StyledText("Rule of \(server.name)", .heading)] + PolicyText.detail(of: rule)
  }

  var copyText: String { if case .device(_, let deviceID) = id { deviceID } else { label } }

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    detail.flatMap { $0.folded(to: width) }
  }

  /// The kind and the name first, the times last.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let words = "\(name.plain) \(line.plain)".split(separator: " ").joined(separator: " ")
    let spoken =
      switch id {
      case .server: "server \(words)"
      case .device: "device \(words)"
      case .rule: words
      case .setting: "setting \(words)"
      }
    return SpokenItem(
      line: spoken,
      title: label,
      state: .init(text: "\(label) \(setting == nil ? "\(isRevocable)" : line.plain)"),
      detail: detail
    )
  }
}

extension ShownSetting {
  /// The value, the default, or that there is neither.
  var stateText: StyledText { valueText.isEmpty ? StyledText("not set", .dim) : valueText }
}
