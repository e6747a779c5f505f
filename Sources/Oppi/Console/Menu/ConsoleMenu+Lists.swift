// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The numbered lists of the menu.
extension ConsoleMenu {
  /// The entries that are printed at once; `more` prints the next ones.
  static let listLimit = 20

  func entries(of page: MenuPage) -> [MenuEntry] {
    switch page {
    case .main: MenuSection.allCases.map { MenuEntry(.section($0), line(of: $0)) }
    case .section(let section): entries(of: section)
    case .session(let id): model.board.session(id).map(actions) ?? []
    case .schedule(let id): data.schedules.first { $0.id == id }.map(actions) ?? []
    case .setting(let id): data.settings.first { $0.id == id }.map(actions) ?? []
    case .request, .reply, .chat, .confirm: []
    }
  }

  private func line(of section: MenuSection) -> String {
    switch section {
    case .approvals:
      let count = model.board.openCount(at: model.now)
      return "\(section.title), \(count == 0 ? "none" : "\(count)") pending"
    case .work:
      let failed = model.board.sessions(.failed).count
      let waiting = model.board.waitingCount(at: model.now)
      let facts = [
        model.board.sessions().count.counted("session"),
        waiting > 0 ? "\(waiting) waiting for an answer" : nil,
        failed > 0 ? "\(failed) failed" : nil,
      ]
      return "\(section.title), \(facts.compactMap(\.self).joined(separator: ", "))"
    case .chat, .schedules, .settings: return section.title
    }
  }

  private func entries(of section: MenuSection) -> [MenuEntry] {
    switch section {
    case .approvals:
      model.board.requests(at: model.now).map { request in
        let isOpen = request.isOpen(at: model.now)
        return MenuEntry(
          .request(request.id),
          SpokenRows.line(of: request, at: model.now),
          state: .init(text: isOpen ? "open" : "ended", request: request.request)
        )
      }
    case .work, .chat:
      model.board.sessions().map { session in
        MenuEntry(
          .session(session.id),
          SpokenRows.line(of: session, at: model.now),
          state: .init(text: session.phase.title)
        )
      }
    case .schedules:
      data.schedules.map { item in
        MenuEntry(.schedule(item.id), item.spokenLine, state: .init(text: item.spokenState))
      }
    case .settings:
      data.settings.map { item in
        MenuEntry(
          .setting(item.id),
          item.spokenLine,
          state: .init(text: "\(item.label) \(item.isRevocable)")
        )
      }
    }
  }

  // MARK: - Actions

  private func actions(of session: BoardSession) -> [MenuEntry] {
    var actions: [MenuAction] = [.peek, .conversation]
    if !model.isReadOnly {
      actions.append(.reply)
      if [.running, .waiting].contains(session.phase) { actions.append(.stop) }
      actions.append(.chat)
    }
    return entries(actions, of: session.phase.title)
  }

  private func actions(of item: ScheduleItem) -> [MenuEntry] {
    var actions: [MenuAction] = [.details]
    if item.shortcut != nil, !model.isReadOnly {
      actions += [.runNow, item.isEnabled ? .disable : .enable]
    }
    return entries(actions, of: item.spokenState)
  }

  private func actions(of item: SettingsItem) -> [MenuEntry] {
    let change: MenuAction? =
      switch item.id {
      case .server: .signOut
      case .device: item.isRevocable ? .revoke : nil
      case .rule: item.isRevocable ? .removeRule : nil
      }
    let actions = [.details, model.isReadOnly ? nil : change].compactMap(\.self)
    return entries(actions, of: "\(item.label) \(item.isRevocable)")
  }

  private func entries(_ actions: [MenuAction], of state: String) -> [MenuEntry] {
    actions.map { MenuEntry(.action($0), $0.label, state: .init(text: state)) }
  }

  // MARK: - Printing

  /// Prints the current page with new numbers.
  mutating func show() -> [Action] {
    numbered = (entries(of: page), 0)
    return [.print(head + part() + [StyledText(foot)])]
  }

  /// Prints the next part of the list.
  mutating func showMore() -> [Action] {
    guard numbered.printed < numbered.entries.count else { return [.say("that is all")] }
    return [.print(part() + [StyledText(foot)])]
  }

  private mutating func part() -> [StyledText] {
    let first = numbered.printed
    let shown = numbered.entries.dropFirst(first).prefix(Self.listLimit)
    numbered.printed += shown.count
    let left = numbered.entries.count - numbered.printed
    let more = left > 0 ? [StyledText("and \(left) more; type more")] : []
    return zip((first + 1)..., shown).map { StyledText("\($0) \($1.line)") } + more
  }

  private var head: [StyledText] {
    switch page {
    case .main:
      let servers = model.board.servers.compactMap { SpokenRows.line(of: $0, at: model.now) }
      let state = model.isReadOnly ? ", read-only" : ""
      return [StyledText("main menu\(state)")] + servers.map { StyledText("warning: \($0)") }
    case .section(let section): return head(of: section)
    case .session(let id):
      let session = model.board.session(id)
      let line = session.map { SpokenRows.line(of: $0, at: model.now) } ?? Self.gone
      return [StyledText(line), StyledText("session \(id.sessionID)")]
    case .schedule(let id):
      return [StyledText(data.schedules.first { $0.id == id }?.spokenLine ?? Self.gone)]
    case .setting(let id):
      return [StyledText(data.settings.first { $0.id == id }?.label ?? Self.gone)]
    case .request, .reply, .chat, .confirm: return []
    }
  }

  static let gone = "no longer listed"

  private func head(of section: MenuSection) -> [StyledText] {
    guard numbered.entries.isEmpty else {
      let count = numbered.entries.count
      let question = section == .chat ? ": which session?" : ", \(count) in the list"
      return [StyledText("\(section.title)\(question)")] + problems(of: section)
    }
    let text =
      switch section {
      case .approvals: ConsoleEmpty.requests
      case .work, .chat: ConsoleEmpty.sessions
      case .schedules: ConsoleEmpty.schedules
      case .settings: "No servers."
      }
    let empty = ConsoleEmpty.text(text, unless: model.emptiness, isFiltered: false)
    return [StyledText("\(section.title): ").with(empty)] + problems(of: section)
  }

  private func problems(of section: MenuSection) -> [StyledText] {
    switch section {
    case .approvals:
      GateNote.text(of: model.board.servers.map { ($0.name, $0.way) }).map { [StyledText($0)] }
        ?? []
    case .schedules: data.problems.map { StyledText("warning: \($0)") }
    case .work, .chat, .settings: []
    }
  }

  private var foot: String {
    let number = numbered.entries.isEmpty ? "" : "type a number, or "
    return page.isMain
      ? "\(number)question mark for help, q to leave"
      : "\(number)0 to go back, question mark for help"
  }
}

extension MenuPage {
  var isMain: Bool { if case .main = self { true } else { false } }
}

extension ScheduleItem {
  fileprivate var spokenState: String { isEnabled ? "enabled" : "disabled" }

  /// The name and the state first, the times last.
  fileprivate var spokenLine: String {
    let run = next.first.map { "next run \($0.plain.split(separator: " ").joined(separator: " "))" }
    let facts = [
      "\(name): \(spokenState)", outcome.isEmpty ? nil : "last run \(outcome.plain)", trigger,
      isEnabled ? run ?? "next run unknown or never" : nil,
    ]
    return facts.compactMap(\.self).joined(separator: "; ")
  }
}

extension SettingsItem {
  /// The kind and the name first, the times last.
  var spokenLine: String {
    let words = line.plain.split(separator: " ").joined(separator: " ")
    return switch id {
    case .server: "server \(words)"
    case .device: "device \(words)"
    case .rule: words
    }
  }
}
