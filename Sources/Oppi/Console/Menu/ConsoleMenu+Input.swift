// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What the user's lines do.
extension ConsoleMenu {
  /// Handles a line on a page with a numbered list.
  mutating func command(_ line: String, at typed: Duration) -> [Action] {
    switch line {
    case "", "0": return back()
    case "?": return [.print(Self.help(isReadOnly: model.isReadOnly))]
    case "more": return showMore()
    case "r": return refresh()
    case "q": return leave(at: typed)
    default: break
    }
    guard data.awaited == nil else { return [.say("set aside: the list is being read")] }
    guard line.allSatisfy(\.isNumber), let number = Int(line),
      (1...max(1, numbered.printed)).contains(number),
      numbered.entries.indices.contains(number - 1)
    else { return [.say("no choice '\(line.safeLine(limit: 60))'; question mark for help")] }
    let chosen = numbered.entries[number - 1]
    let present = entries(of: page).first { $0.target == chosen.target }
    guard let present, present.state == chosen.state else {
      return [.say("\(number) has changed meanwhile; nothing was done")] + show()
    }
    return choose(chosen.target)
  }

  /// Returns to the page below and prints it.
  mutating func back() -> [Action] {
    if !pages.isEmpty { pages.removeLast() }
    data.awaited = nil
    return show()
  }

  private mutating func refresh() -> [Action] {
    guard case .section(let section) = page else { return [.perform(.refresh)] + show() }
    data.awaited = (section, nil)
    let own = reading(section)
    return [.perform(.refresh)] + (own.isEmpty ? [.say("reading")] : own)
  }

  /// Reads what is not on the board; prints the section when it arrives.
  private mutating func reading(_ section: MenuSection) -> [Action] {
    let effects = source(of: section).opening
    guard !effects.isEmpty else { return [] }
    data.awaited = (section, nil)
    return effects.map(Action.perform) + [.say("reading")]
  }

  private mutating func choose(_ target: MenuEntry.Target) -> [Action] {
    switch target {
    case .section(.chat) where model.isReadOnly: return [.say("the chat is off with --read-only")]
    case .section(let section):
      pages.append(.section(section))
      let effects = reading(section)
      return effects.isEmpty ? show() : effects
    case .item(.request(let id)): return open(id)
    case .item(let item):
      if case (.section(.chat), .session(let id)) = (page, item) { return chat(with: id) }
      pages.append(.item(item))
      return show()
    case .action(let name): return perform(name)
    }
  }

  private mutating func open(_ id: ListedRequest.ID) -> [Action] {
    guard let request = model.board.request(id) else { return [.say(Self.gone)] + show() }
    let way = model.board.server(id.serverID)?.way ?? .permissions
    pages.append(
      .request(MenuRequest(request, for: way, isReadOnly: model.isReadOnly, width: width))
    )
    return showRequest()
  }

  /// Prints the open request in full; it must be read before it is answered.
  mutating func showRequest() -> [Action] {
    guard case .request(let request) = page else { return [] }
    panelCount += 1
    return [.print(request.lines(at: model.now))]
  }

  // MARK: - Pages with their own lines

  mutating func answer(
    _ request: MenuRequest,
    by line: String,
    at typed: Duration
  ) -> [Action] {
    var request = request
    let outcome = request.take(line, at: typed)
    pages[pages.count - 1] = .request(request)
    switch outcome {
    case .said(let lines): return [.print(lines)]
    case .shown: return showRequest()
    case .closed: return back()
    case .replied(let reply, let reason):
      leavePage()
      guard model.board.begin(reply, to: request.request.id) else { return [.say(StaleLine.gone)] }
      return [
        .perform(.reply(reply, to: request.request, because: reason)),
        .say("waiting for confirmation"),
      ]
    }
  }

  /// Leaves the page; the numbers of the page below must be printed again before they count.
  mutating func leavePage() {
    if !pages.isEmpty { pages.removeLast() }
    numbered = ([], 0)
  }

  mutating func write(_ line: String, for reply: MenuReply, at typed: Duration) -> [Action] {
    guard !line.allSatisfy(\.isWhitespace) else { return [.say("not sent")] + back() }
    guard reply.isMeant(at: typed) else {
      return [.say("not sent: typed too early; wait a second and type it again")]
    }
    let id = reply.id
    let draft = drafts.take(id)
    // The numbers of the page below still count.
    pages.removeLast()
    return [.perform(.send(line == "!" ? draft ?? line : line, to: id)), .say("sending")]
  }

  mutating func confirm(
    _ question: MenuConfirmation,
    by line: String,
    at typed: Duration
  ) -> [Action] {
    pages.removeLast()
    guard line == "yes" else { return [.say("nothing was changed")] }
    guard question.isRead(at: typed) else {
      return [.say("nothing was changed: typed too early; choose it again")]
    }
    return [.perform(question.effect), .say("sent; waiting for the result")]
  }

  static func help(isReadOnly: Bool) -> [StyledText] {
    let lines = [
      "A number opens an item or performs an action. It stays with its item until the list is "
        + "printed again.",
      "0 or an empty line: back", "r: query the servers and print the list again",
      "more: print the next part of a long list", "q: leave the console; agents continue",
      "Ctrl-C: back",
      isReadOnly
        ? "Nothing can be changed with --read-only."
        : "A request is decided only by a line that is exactly a choice, typed after the whole "
          + "text was printed for 1 second. Changes need the word yes.",
      "Lines that begin with 'news:' report changes.",
    ]
    return lines.map { StyledText($0) }
  }
}

/// What can be done with the item of the current page.
extension ConsoleMenu {
  /// Performs the action of a row in the table of keys.
  mutating func perform(_ name: String) -> [Action] {
    guard case .item(let item) = page,
      let action = actions(on: item).first(where: { $0.name == name })?.action
    else { return [] }
    switch (action, item) {
    case (.peek, .session(let id)): return read(1, of: id)
    case (.open, .session(let id)): return read(TimelineDetail.turnLimit, of: id)
    case (.reply, .session(let id)): return reply(to: id)
    case (.perform(.showChat(let id)), _): return chat(with: id)
    case (.ask(let change), _): return ask(change)
    case (.detail, _):
      let detail = spoken(item)?.detail ?? []
      return [.print(detail.filter { !$0.isEmpty }), .say("0 to go back")]
    default: return []
    }
  }

  private mutating func reply(to id: BoardSession.ID) -> [Action] {
    pages.append(.reply(MenuReply(to: id)))
    panelCount += 1
    let draft = drafts[id].map { ["not sent before: \($0.safeLine(limit: 400)); ! sends it"] } ?? []
    let usage = "type the message and press Enter; an empty line: back"
    return [.print((draft + [usage]).map { StyledText($0) })]
  }

  private mutating func read(_ count: Int, of id: BoardSession.ID) -> [Action] {
    data.readings.append(id)
    return [.perform(.read(id, turns: count)), .say("reading")]
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
