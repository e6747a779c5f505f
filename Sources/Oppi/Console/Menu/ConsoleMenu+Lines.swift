// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

/// What the user's lines do.
extension ConsoleMenu {
  mutating func take(_ line: String) -> [Action] {
    if line != "q" { isAskedToLeave = false }
    switch page {
    case .chat(_, nil)?:
      return ["", "0", "/quit"].contains(line) ? back() : [.say("not sent: the chat is opening")]
    case .chat?: return inChat(.line(line)) ?? []
    case .text(let purpose, let id)?: return write(line, as: purpose, to: id)
    case .prompt(let workspace)?: return launch(line, in: workspace)
    case .confirm(let change)?: return confirm(change, by: line)
    case .request(let request)?: return answer(request, by: line)
    case .section, .item, .workspaces, nil: return command(line)
    }
  }

  /// Handles a line on a page with a numbered list.
  private mutating func command(_ line: String) -> [Action] {
    switch line {
    case "", "0": return back()
    case "?": return [.print(Self.help(isReadOnly: model.isReadOnly))]
    case "more": return showMore()
    case "r": return refresh()
    case "q": return quit()
    case "n" where !model.isReadOnly: return listWorkspaces()
    default: break
    }
    guard awaited == nil else { return [.say("set aside: the list is being read")] }
    guard line.allSatisfy(\.isNumber), let number = Int(line),
      (1...max(1, numbered.printed)).contains(number),
      numbered.entries.indices.contains(number - 1)
    else { return [.say("no choice '\(line.safeLine(limit: 60))'; question mark for help")] }
    let chosen = numbered.entries[number - 1]
    let present = entries.first { $0.target == chosen.target }
    guard let present, present.state == chosen.state else {
      return [.say("\(number) has changed meanwhile; nothing was done")] + show()
    }
    return choose(chosen.target)
  }

  private mutating func refresh() -> [Action] {
    guard case .section(let section)? = page else { return [.perform(.refresh)] + show() }
    return read([.refresh] + source(of: section).opening, for: section)
  }

  /// Reads what a section shows, and prints it when the results have arrived.
  private mutating func read(_ effects: [ConsoleEffect], for section: MenuSection) -> [Action] {
    awaited = (section, nil)
    return effects.map(Action.perform) + [.say("reading")]
  }

  private mutating func choose(_ target: MenuEntry.Target) -> [Action] {
    switch target {
    case .section(.chat) where model.isReadOnly: return [.say("the chat is off with --read-only")]
    case .section(let section):
      pages.append(.section(section))
      let effects = source(of: section).opening
      return effects.isEmpty ? show() : read(effects, for: section)
    case .item(let item):
      if let id = item.request { return open(id) }
      if item.section == .chat, let id = item.session { return chat(with: id) }
      pages.append(.item(item))
      return show()
    case .workspace(let workspace): return begin(in: workspace)
    case .action(let name): return perform(name)
    }
  }

  private mutating func write(
    _ line: String,
    as purpose: ReplyField.Purpose,
    to id: ListedSession.ID
  ) -> [Action] {
    guard !line.allSatisfy(\.isWhitespace) else { return [.say("not sent")] + back() }
    guard isMeant else { return [.say(Self.tooEarly)] }
    let draft = purpose == .reply && line == "!" ? model.drafts.take(id) : nil
    // The numbers of the page below still count.
    pages.removeLast()
    return [.perform(purpose.effect(of: draft ?? line, on: id)), .say("sending")]
  }

  private static let tooEarly = "not sent: typed too early; wait a second and type it again"

  func lines(of change: ConsoleChange) -> [StyledText] {
    ([change.question] + change.details + ["type yes; anything else cancels"])
      .map { StyledText($0) }
  }

  private mutating func confirm(_ change: ConsoleChange, by line: String) -> [Action] {
    pages.removeLast()
    guard line == "yes" else { return [.say("nothing was changed")] }
    guard isMeant else {
      return [.say("nothing was changed: typed too early; choose it again")]
    }
    return change.effects.map(Action.perform) + [.say("sent; waiting for the result")]
  }

  private static func help(isReadOnly: Bool) -> [StyledText] {
    let lines = [
      "A number opens an item or performs an action. It stays with its item until the list is "
        + "printed again.",
      "0 or an empty line: back", "r: query the servers and print the list again",
      "more: print the next part of a long list",
      isReadOnly ? nil : "n: send a prompt to a new session",
      "q: leave the console; agents continue", "Ctrl-C: back",
      isReadOnly
        ? "Nothing can be changed with --read-only."
        : "A request is decided only by a line that is exactly a choice, typed after the whole "
          + "text was printed for 1 second. Changes need the word yes.",
      "Lines that begin with 'news:' report changes.",
    ]
    return lines.compactMap(\.self).map { StyledText($0) }
  }
}

/// A prompt for a new session.
extension ConsoleMenu {
  private mutating func listWorkspaces() -> [Action] {
    pages.append(.workspaces(nil))
    numbered = ([], 0)
    return [.perform(.work(.listWorkspaces)), .say("listing the workspaces")]
  }

  private mutating func begin(in workspace: ServerWorkspace) -> [Action] {
    open(.prompt(workspace))
    let kept = model.newPrompt.map { order in
      "not sent before: \(order.text.safeLine(limit: 400)); ! sends it"
    }
    let name = workspace.qualifiedName.safeLine(limit: 60)
    let usage = "type the prompt for \(name) and press Enter; an empty line: back"
    return [.print([kept, usage].compactMap(\.self).map { StyledText($0) })]
  }

  private mutating func launch(_ line: String, in workspace: ServerWorkspace) -> [Action] {
    guard !line.allSatisfy(\.isWhitespace) else { return [.say("not sent")] + back() }
    guard isMeant else { return [.say(Self.tooEarly)] }
    let kept = line == "!" ? model.newPrompt : nil
    if kept != nil { model.newPrompt = nil }
    let order = NewPrompt.Order(workspace: workspace, model: kept?.model, text: kept?.text ?? line)
    // The choice of the workspace, too.
    pages.removeLast(2)
    return [.perform(.work(.launch(order))), .say("sending")] + show()
  }
}

/// What can be done with the item of the current page.
extension ConsoleMenu {
  /// Performs the action of a row in the table of keys.
  private mutating func perform(_ name: String) -> [Action] {
    guard case .item(let item)? = page,
      let action = actions(on: item).first(where: { $0.name == name })?.action
    else { return [] }
    switch action {
    case .own(WorkAction.read(let id, _, let turns)):
      readings.append(id)
      return [.perform(.work(.read(id, turns: turns))), .say("reading")]
    case .own(WorkAction.retry(let id, _)):
      retried = id
      return [.perform(.work(.read(id, turns: 1))), .say("reading the prompt")]
    case .own(WorkAction.rename(let id, _)):
      open(.text(.rename, id))
      return [.say("type the new name and press Enter; an empty line: back")]
    case .own(WorkAction.reply(let id, _)):
      open(.text(.reply, id))
      let draft = model.drafts[id].map { "not sent before: \($0.safeLine(limit: 400)); ! sends it" }
      let usage = "type the message and press Enter; an empty line: back"
      return [.print([draft, usage].compactMap(\.self).map { StyledText($0) })]
    case .perform(.showChat(let id)): return chat(with: id)
    case .perform(let effect):
      // The list is printed again without the item.
      pages.removeLast()
      return read([effect], for: item.section)
    case .ask(let change): return ask(change)
    case .detail:
      let detail = spoken(item)?.detail ?? []
      return [.print(detail.filter { !$0.isEmpty }), .say("0 to go back")]
    default: return []
    }
  }

  private mutating func ask(_ change: ConsoleChange) -> [Action] {
    open(.confirm(change))
    return [.print(lines(of: change))]
  }

  /// Asks whether to send the prompt of a failed turn again, if the user still looks at its session.
  mutating func askAgain(
    _ turns: Result<[Turn], FleetView.Failure>,
    of id: ListedSession.ID
  ) -> [Action] {
    retried = nil
    guard case .item(let item)? = page, item.session == id,
      let session = model.board.session(id), session.phase == .failed
    else { return [] }
    switch turns {
    case .failure(let failure): return [.say(failure.message)]
    case .success(let turns):
      guard let prompt = FailedPrompt(of: session, in: turns) else {
        return [.say("the prompt is not known; send it as a message")]
      }
      return ask(.retry([prompt]))
    }
  }
}

/// The open request: the panel of the chat in lines, with the same rules.
extension ConsoleMenu {
  private mutating func open(_ id: ListedRequest.ID) -> [Action] {
    guard let request = model.board.request(id) else { return [.say(Self.gone)] + show() }
    let way = model.board.way(of: id.serverID)
    let form = RequestPanel.Form.lines(width: width)
    let opened = OpenRequest(request, for: way, isReadOnly: model.isReadOnly, in: form)
    open(.request(opened))
    return [.print(lines(of: opened))]
  }

  /// Prints the request in full again; it must be read before it is answered.
  mutating func show(_ request: OpenRequest) -> [Action] {
    page = .request(request)
    panelCount += 1
    return [.print(lines(of: request))]
  }

  /// The whole text; that of a request that cannot be decided here has no choices.
  private func lines(of open: OpenRequest) -> [StyledText] {
    let request = open.request
    guard let panel = open.panel else {
      let content =
        switch request.request {
        case .permission(let permission): SpokenRequest.lines(of: permission, width: width)
        case .question: RequestText.rows(of: request.request, width: width)
        }
      return [StyledText(request.spoken(width: width, at: model.now).line)] + content
        + [StyledText("an empty line: back")]
    }
    let left = request.approval.secondsLeft(at: model.now).map { RelativeTime.age(seconds: $0) }
    return [StyledText("in \(request.place.text)")] + panel.lines(left: left)
      + [StyledText("an empty line: back, nothing is decided")]
  }

  /// Updates the request that is shown; one that changed is a new one, and printed again.
  mutating func refreshRequest() -> [Action] {
    guard case .request(var request)? = page,
      let latest = model.board.request(request.request.id)
    else { return [] }
    let change = request.update(latest, at: model.now)
    page = .request(request)
    switch change {
    case .ended?:
      let line = "no longer pending: \(latest.spoken(width: width, at: model.now).line)"
      return [.print([StyledText(line), StyledText("an empty line: back")])]
    case .replaced?, .reopened?: return [.say(QuestionText.changed)] + show(request)
    case nil: return []
    }
  }

  /// What has a meaning on the other pages of the menu.
  private static let words = ["0", "n", "q", "r", "more"]

  private mutating func answer(_ request: OpenRequest, by line: String) -> [Action] {
    var request = request
    guard let panel = request.panel, !panel.closes(line) else { return back() }
    if panel.isText(line), Self.words.contains(line), word != line {
      word = line
      return [.print([StyledText("not sent; type \(line) again to send it as the answer")])]
    }
    word = nil
    let outcome = request.panel?.take(line, at: model.moment)
    page = .request(request)
    switch outcome {
    case .refused(let words)?: return [.print(StyledText(words).folded(to: width, indent: 2))]
    case .repeated?:
      request.panel = request.panel?.shownAgain
      return show(request)
    case .replied(let reply, let reason)?:
      guard let whole = request.complete(reply) else { return show(request) }
      // The numbers of the page below must be printed again before they count.
      pages.removeLast()
      numbered = ([], 0)
      guard model.board.begin(whole, to: request.request.id) else {
        return [.say(DecisionOutcome.noLongerPending)]
      }
      return [
        .perform(.reply(whole, to: request.request, because: reason)),
        .say("waiting for confirmation"),
      ]
    case .taken?, .asksReason?, .typed?, .action?, nil: return back()
    }
  }
}

extension RequestPanel {
  /// Whether a line would be the text of an answer.
  fileprivate func isText(_ line: String) -> Bool {
    guard case .question(let question) = subject, question.takesText else { return false }
    return !(1...max(1, question.choices.count)).contains(Int(line) ?? 0)
      || question.choices.isEmpty
  }

  /// Whether a line leaves the request as it is: an empty line, or 0 where it is no answer.
  fileprivate func closes(_ line: String) -> Bool {
    guard reason == nil else { return false }
    if line.allSatisfy(\.isWhitespace) { return true }
    guard line == "0" else { return false }
    if case .question(let question) = subject { return !question.choices.isEmpty }
    return true
  }
}

/// The chat inside the menu: its lines are for the agent until `/quit`.
extension ConsoleMenu {
  private mutating func chat(with id: ListedSession.ID) -> [Action] {
    open(.chat(id, nil))
    return [.perform(.chat(.open(id))), .say("opening the chat; /quit returns to the menu")]
  }

  /// Passes an event to the chat of the current page; `nil` if no chat is open there.
  mutating func inChat(_ event: LineEvent<ChatNews>) -> [Action]? {
    guard case .chat(let id, var lines?)? = page else { return nil }
    let before = lines.panelCount
    let effects = lines.update(event, at: model.moment, model.now)
    if lines.panelCount != before { panelCount += 1 }
    page = .chat(id, lines)
    return effects.flatMap { effect -> [Action] in
      switch effect {
      case .print(let lines): [.print(lines)]
      case .perform(let effect): [.perform(.chat(.perform(effect, id, over: lines.state.stream)))]
      case .leave: leaveChat(saying: "left the chat; the agent continues")
      case .edit, .suspend, .redraw, .copy, .call, .mouse: []
      }
    }
  }

  /// Leaves the chat's page; keeps its messages that were not sent, and reports those that are not
  /// confirmed.
  mutating func leaveChat(saying text: String) -> [Action] {
    guard case .chat(let id, let lines)? = page else { return [] }
    pages.removeLast()
    var notices = [lines.flatMap { model.leave($0.state) }].compactMap(\.self)
    for unsent in lines?.state.mail.unsent ?? [] {
      model.drafts.keep(unsent, for: id)
      notices.append("not sent; reply to the session to send it: \(unsent.safeLine(limit: 400))")
    }
    return (notices + [text]).map(Action.say) + show()
  }
}
