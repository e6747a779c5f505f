// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What can be done with the item of the current page.
extension ConsoleMenu {
  mutating func perform(_ action: MenuAction) -> [Action] {
    switch page {
    case .session(let id): return perform(action, on: id)
    case .schedule(let id):
      guard let item = data.schedules.first(where: { $0.id == id }) else { return show() }
      return perform(action, on: item)
    case .setting(let id):
      guard let item = data.settings.first(where: { $0.id == id }) else { return show() }
      return perform(action, on: item)
    case .main, .section, .request, .reply, .chat, .confirm: return []
    }
  }

  private mutating func perform(_ action: MenuAction, on id: BoardSession.ID) -> [Action] {
    switch action {
    case .peek: return read(1, of: id)
    case .conversation: return read(TimelineDetail.turnLimit, of: id)
    case .reply:
      pages.append(.reply(MenuReply(to: id)))
      panelCount += 1
      let draft =
        drafts[id].map { ["not sent before: \($0.safeLine(limit: 400)); ! sends it"] } ?? []
      let usage = "type the message and press Enter; an empty line: back"
      return [.print((draft + [usage]).map { StyledText($0) })]
    case .stop:
      return ask(.stop(id, model.board.session(id)))
    case .chat: return chat(with: id)
    case .runNow, .enable, .disable, .details, .revoke, .removeRule, .signOut: return []
    }
  }

  private mutating func read(_ count: Int, of id: BoardSession.ID) -> [Action] {
    data.readings.append(id)
    return [.perform(.read(id, turns: count)), .say("reading")]
  }

  private mutating func perform(_ action: MenuAction, on item: ScheduleItem) -> [Action] {
    switch (action, item.shortcut) {
    case (.details, _):
      return [.print(item.detail(width: width).filter { !$0.isEmpty }), .say("0 to go back")]
    case (.runNow, let shortcut?): return ask(.run(shortcut))
    case (.enable, let shortcut?): return ask(.enable(shortcut, true))
    case (.disable, let shortcut?): return ask(.enable(shortcut, false))
    default: return []
    }
  }

  private mutating func perform(_ action: MenuAction, on item: SettingsItem) -> [Action] {
    let server = model.board.server(item.id.serverID)?.name ?? ""
    switch (action, item.id) {
    case (.details, _):
      return [.print(item.detail.filter { !$0.isEmpty }), .say("0 to go back")]
    case (.revoke, _), (.removeRule, _):
      return ConsoleChange.remove(item, from: server).map { ask($0) } ?? []
    case (.signOut, .server(let serverID)): return ask(.signOut(of: server, serverID))
    default: return []
    }
  }

  /// Asks for the word `yes` before a change.
  private mutating func ask(_ change: ConsoleChange) -> [Action] {
    let question = MenuConfirmation(change)
    pages.append(.confirm(question))
    panelCount += 1
    return [.print(question.lines)]
  }
}
