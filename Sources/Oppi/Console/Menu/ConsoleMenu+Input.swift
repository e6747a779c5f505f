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
    switch section {
    case .schedules, .settings:
      data.awaited = (section, nil)
      let effect: ConsoleEffect = section == .schedules ? .readSchedules : .readSettings
      return [.perform(effect), .say("reading")]
    case .approvals, .work, .chat: return []
    }
  }

  private mutating func choose(_ target: MenuEntry.Target) -> [Action] {
    switch target {
    case .section(.chat) where model.isReadOnly: return [.say("the chat is off with --read-only")]
    case .section(let section):
      pages.append(.section(section))
      let effects = reading(section)
      return effects.isEmpty ? show() : effects
    case .request(let id): return open(id)
    case .session(let id):
      if case .section(.chat) = page { return chat(with: id) }
      return open(.session(id))
    case .schedule(let id): return open(.schedule(id))
    case .setting(let id): return open(.setting(id))
    case .action(let action): return perform(action)
    }
  }

  private mutating func open(_ page: MenuPage) -> [Action] {
    pages.append(page)
    return show()
  }

  private mutating func open(_ id: BoardRequest.ID) -> [Action] {
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
