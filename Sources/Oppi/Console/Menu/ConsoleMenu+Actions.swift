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

/// The chat inside the menu.
extension ConsoleMenu {
  /// Opens the chat with a session; its lines are for the agent until `/quit`.
  mutating func chat(with id: BoardSession.ID) -> [Action] {
    pages.append(.chat(MenuChat(id)))
    panelCount += 1
    return [.perform(.openChat(id)), .say("opening the chat; /quit returns to the menu")]
  }

  mutating func opened(_ id: BoardSession.ID, _ setup: ChatSetup) -> [Action] {
    guard case .chat(var chat) = page, chat.id == id else { return [] }
    let state = ChatState(sessionID: id.sessionID, requests: setup.requests, newID: newID)
    chat.lines = ChatLines(state, width: width)
    pages[pages.count - 1] = .chat(chat)
    return []
  }

  mutating func type(_ line: String, to chat: MenuChat, at typed: Duration) -> [Action] {
    guard chat.lines != nil else {
      return ["", "0", "/quit"].contains(line) ? back() : [.say("not sent: the chat is opening")]
    }
    return inChat { $0.type(line, at: typed) }
  }

  /// Changes the chat of the current page; does nothing on other pages.
  mutating func inChat(_ body: (inout ChatLines) -> [ChatEffect]) -> [Action] {
    guard case .chat(var chat) = page, var lines = chat.lines else { return [] }
    let before = lines.panelCount
    lines.wallNow = model.now
    let effects = body(&lines)
    if lines.panelCount != before { panelCount += 1 }
    chat.lines = lines
    pages[pages.count - 1] = .chat(chat)
    return perform(effects, of: chat.id)
  }

  /// Leaves the chat after all confirmations, or at once if it is asked twice; stops no turn.
  mutating func leaveChat(at now: Duration) -> [Action] {
    guard case .chat(let chat) = page, chat.lines != nil else { return back() }
    return inChat { $0.leave(at: now) }
  }

  /// Keeps the messages of a chat that is left which were not sent, and reports those that are not
  /// confirmed.
  mutating func keep(_ state: ChatState?, of id: BoardSession.ID) -> [Action] {
    guard let state else { return [] }
    hasUnknown = hasUnknown || state.hasUnknown
    return state.mail.outgoing.map { message in
      let line = message.text.safeLine(limit: 400)
      guard message.isHeld else {
        hasUnknown = true
        return .say("not confirmed; check the session before you send it again: \(line)")
      }
      drafts.keep(message.text, for: id)
      return .say("not sent; reply to the session to send it: \(line)")
    }
  }

  /// The chat's effects as those of the menu; leaving the chat returns to the page below.
  mutating func perform(_ effects: [ChatEffect], of id: BoardSession.ID) -> [Action] {
    effects.flatMap { effect -> [Action] in
      switch effect {
      case .say(let text): return [.say(text)]
      case .print(let lines): return [.print(lines)]
      case .leave:
        guard case .chat(let chat) = page else { return [] }
        leavePage()
        return keep(chat.lines?.state, of: id)
          + [.say("left the chat; the agent continues")] + show()
      default: return [.perform(.chat(effect, id))]
      }
    }
  }
}
