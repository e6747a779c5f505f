// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

/// The operator console: its tabs, and the changes by keys and news; performs no input or output.
struct ConsoleScreen: Screen, ConsoleForm {
  typealias Effects = [ScreenEffect<ConsoleEffect>]

  /// The name of the program in the title of the window.
  let name: String
  private(set) var model: ConsoleModel
  private(set) var tabs: [any ConsoleTab]
  private(set) var selected: Int
  /// What lies over the tab; the last one takes the keys first.
  private(set) var layers: [any ConsoleLayer] = []
  /// The keys that replace those of the table, by the names of actions.
  private let bindings: KeyBindings
  private(set) var size = ScreenSize(columns: 80, rows: 24)
  /// Whether the user looks at the window, as far as the terminal reports it.
  private var isFocused = true
  /// When the tab's own data was last read.
  private var readAt = Duration.zero
  /// What was told of failed changes since the last key.
  private var failures: [String] = []
  /// The number of other results since then.
  private var successes = 0
  private var exit = PendingExit()
  /// Whether the terminal reports the mouse, so that it selects no text without Shift.
  private var hasMouse: Bool

  var chat: ChatState? { tabs.lazy.compactMap { ($0 as? ChatTab)?.chat }.first }

  private static let noteLimit = 300
  private static let mouseNote = "Shift with the mouse selects text"
  /// The notice until a server answers.
  private static let querying = "querying all servers"
  /// How often to read what the tab shows again, so that times and states stay right.
  private static let readingTime = Duration.seconds(60)

  /// `now` is the time of day at the start, which is 0 on the screen's clock.
  init(
    named name: String = "oppi console",
    tabs: [any ConsoleTab],
    selected: Int,
    isReadOnly: Bool,
    bindings: KeyBindings = KeyBindings(),
    look: MarkdownLook = .styled,
    hasMouse: Bool = false,
    now: Timestamp
  ) {
    (self.name, self.tabs, self.selected) = (name, tabs, selected)
    (self.bindings, self.hasMouse) = (bindings, hasMouse)
    model = ConsoleModel(isReadOnly: isReadOnly, look: look, now: now)
  }

  mutating func update(_ event: ScreenEvent<ConsoleNews>, at now: Duration) -> Effects {
    model.keepTime(at: now)
    var effects: Effects = []
    switch event {
    case .key(let key, let pressed):
      model.moment = pressed
      effects = press(key)
    case .mouse(let event, let pressed):
      model.moment = pressed
      effects = point(event)
    case .resized(let size): self.size = size
    case .shown: if layers.isEmpty, !layout.isTooSmall { tabs[selected].wasShown(at: now) }
    case .tick:
      effects = settle(tabs.indices.flatMap { tabs[$0].wait(in: &model) })
      if now >= readAt + Self.readingTime {
        readAt = now
        effects += open()
      }
      effects += exitIfDue()
    case .continued: tabs[selected].isShownAgain()
    case .edited(let text, let failure): effects = take(.edited(text, failure: failure))
    case .news(let news): effects = take(news)
    }
    let layout = layout
    tabs[selected].fit(layout, model)
    for index in layers.indices { layers[index].fit(layout, table) }
    return effects
  }

  // MARK: - Keys

  private mutating func press(_ key: Key) -> Effects {
    switch key {
    case .focus(let isFocused):
      self.isFocused = isFocused
      return []
    case .control("z"): return [.suspend]
    case .control("l"): return [.redraw]
    case .control("c") where exit.isAsked: return [.leave]
    case .control("c") where !tabs[selected].takesAllKeys && layers.isEmpty:
      return quit()
    default: break
    }
    (model.note, failures, successes) = (nil, [], 0)
    // Nothing can be read, so keys only exit.
    guard !layout.isTooSmall else {
      return [.text("q"), .control("c"), .control("d")].contains(key) ? quit() : []
    }
    if let effects = pressInLayers(key) { return effects }
    if tabs[selected].takesAllKeys {
      return settle(tabs[selected].take(key, in: &model))
    }
    // Keys typed at once arrive as one text; each letter is a key of its own here.
    if case .text(let text) = key, text.count > 1 {
      return text.prefix(20).flatMap { press(.text(String($0))) }
    }
    return keys.action(of: key).map { perform($0) } ?? []
  }

  /// `nil` if no layer takes the key.
  private mutating func pressInLayers(_ key: Key) -> Effects? {
    let table = table
    for index in layers.indices.reversed() {
      switch layers[index].take(key, table) {
      case .passes: continue
      case .stays(let actions): return actions.flatMap { perform($0) }
      case .closes(let actions):
        layers.remove(at: index)
        tabs[selected].isShownAgain()
        return actions.flatMap { perform($0) }
      }
    }
    return nil
  }

  private mutating func point(_ event: MouseEvent) -> Effects {
    guard layers.isEmpty, !layout.isTooSmall, tabs[selected].point(event, layout, in: model)
    else { return [] }
    return keys.action(of: .enter).map { perform($0) } ?? []
  }

  /// The rows of the table of keys; those of the tab come first.
  var keys: [KeyRow] { table.rows }

  /// The keys of the tab and those that work everywhere.
  private var table: KeyTable {
    let tab = tabs[selected]
    let groups = [(tab.title, tab.keys(in: model)), ("Everywhere", generalKeys)]
    return KeyTable(groups: groups.map { ($0.0, bindings.applied(to: $0.1)) })
  }

  private var generalKeys: [KeyRow] {
    let (tab, count) = (tabs[selected], tabs.count)
    let numbers = tabs.enumerated().filter { _ in count > 1 }.map { index, tab in
      KeyRow("\(index + 1)", tab.title.lowercased(), help: "Show \(tab.title)", .tab(index))
        .withoutHint
    }
    let filterHelp =
      "Filter the list by a text; a second / searches all conversations on the servers"
    let copyHelp = "Copy the command, or the name of the session, schedule or server"
    let quit: [Key] = [.text("q"), .control("d"), .control("c")]
    return numbers + [
      KeyRow([.tab], "Tab", help: "Show the next tab", .nextTab, when: count > 1),
      KeyRow("/", "filter", help: filterHelp, .filterText, when: tab.canFilter),
      KeyRow("y", "copy", help: copyHelp, .copy, when: tab.copyText(in: model) != nil).withoutHint,
      KeyRow("M", "mouse", help: Self.mouseHelp, .mouse).withoutHint,
      KeyRow("g", "refresh", help: "Query all servers now; sort the list", .refresh).withoutHint,
      KeyRow(":", "command", help: "Perform an action by its name", .commandLine),
      KeyRow("?", "help", help: "Show this page", .help),
      KeyRow(quit, "q", "quit", help: "Exit; agents continue", .quit),
    ]
  }

  private static let mouseHelp =
    "Switch the mouse on or off; while it is on, the terminal selects text with Shift"

  private mutating func perform(_ action: ConsoleAction) -> Effects {
    switch action {
    case .tab(let index): return show(index)
    case .nextTab: return show((selected + 1) % tabs.count)
    case .help: layers.append(HelpPage())
    case .filterText: layers.append(FilterLine())
    case .commandLine: layers.append(CommandLine())
    case .filter(let text): tabs[selected].filter(by: text)
    case .search(let text): return search(text)
    case .copy: return tabs[selected].copyText(in: model).map { copy($0) } ?? []
    case .mouse:
      hasMouse.toggle()
      model.note = hasMouse ? "the mouse is on; \(Self.mouseNote)" : "the mouse is off"
      return [.mouse(hasMouse)]
    case .quit: return quit()
    case .leave: return leave()
    case .refresh:
      model.note = Self.querying
      return settle(tabs[selected].perform(action, in: &model) + [.refresh])
    default: return settle(tabs[selected].perform(action, in: &model))
    }
    return []
  }

  private mutating func copy(_ text: String) -> Effects {
    guard TerminalCalls.copy(text) != nil else {
      model.note = "not copied: too long, or with control characters"
      return []
    }
    model.note = "sent to the terminal's clipboard: \(text.safeLine(limit: 60))"
    return [.copy(text)]
  }

  /// Leaves, after a question if that loses a text that was not sent.
  private mutating func quit() -> Effects {
    let count = tabs.reduce(model.unsentCount) { $0 + $1.unsentCount }
    let isAsked = exit.isAsked || layers.last is LeaveQuestion
    guard count > 0, !isAsked else { return leave() }
    layers.append(LeaveQuestion(count: count))
    return []
  }

  /// Leaves after all results, or after a short wait; a second press leaves at once.
  private mutating func leave() -> Effects {
    if exit.ask(isUnsettled: isUnsettled, at: model.moment) { return [.leave] }
    model.note = PendingExit.notice
    return []
  }

  private func exitIfDue() -> Effects {
    exit.isDue(isUnsettled: isUnsettled, at: model.moment) ? [.leave] : []
  }

  private mutating func show(_ index: Int) -> Effects {
    guard tabs.indices.contains(index), index != selected else { return [] }
    selected = index
    tabs[index].wasChosen(in: model)
    tabs[index].isShownAgain()
    return open()
  }

  private mutating func open() -> Effects { settle(tabs[selected].opening(in: model)) }

  /// Searches all conversations; the result is a list of sessions.
  private mutating func search(_ text: String) -> Effects {
    guard !text.isEmpty else { return [] }
    for index in tabs.indices {
      guard let effects = tabs[index].search(text) else { continue }
      selected = index
      model.note = "searching '\(text)' on all servers"
      return settle(effects)
    }
    return []
  }

  // MARK: - News

  /// Shows what came of a change: of several, a success does not hide a failure.
  private mutating func tell(_ text: String, isFailure: Bool) {
    let text = text.safeLine(limit: Self.noteLimit)
    if isFailure { failures.append(text) } else { successes += 1 }
    let others = successes > 1 ? " (and \(successes - 1) more)" : ""
    let first = failures.first ?? text + others
    model.note = failures.count > 1 ? "\(failures.count) failed; \(first)" : first
  }

  private mutating func take(_ news: ConsoleNews) -> Effects {
    var before: Set<ListedRequest.ID>?
    if case .looked(_, .success(let answer)) = news {
      before = model.board.openRequests(at: answer.at)
    }
    model.take(news)
    switch news {
    case .looked: if model.note == Self.querying { model.note = nil }
    case .replied(_, _, let outcome, let text): tell(text, isFailure: outcome != .decided)
    case .unconfirmed(let text), .failed(let text): tell(text, isFailure: true)
    case .note(let text): tell(text, isFailure: false)
    default: break
    }
    let alert = before.flatMap { call(about: $0) }
    let effects = tabs.indices.flatMap { tabs[$0].take(news, in: &model) }
    // The servers are known now, at the start for the first time.
    let first = if case .paired = news { open() } else { Effects() }
    return settle(effects) + first + (alert.map { [.call($0)] } ?? []) + exitIfDue()
  }

  /// The notification about new requests for a user who looks at another window; `nil` for none.
  private func call(about before: Set<ListedRequest.ID>) -> String? {
    let new = model.board.openRequests(at: model.now).subtracting(before)
    guard !isFocused, let id = new.first, let request = model.board.request(id) else { return nil }
    guard new.count == 1 else { return "\(new.count) requests are pending" }
    return "\(request.approval.needs.state): \(request.approval.call)"
  }

  private mutating func settle(_ effects: [ConsoleEffect]) -> Effects {
    model.begin(effects)
    return effects.flatMap { effect -> Effects in
      switch effect {
      case .leave: return [.leave]
      case .edit(let text): return [.edit(text)]
      case .copy(let text): return copy(text)
      case .showChat(let id):
        selected = tabs.firstIndex { $0 is ChatTab } ?? selected
        return settle(tabs.indices.flatMap { tabs[$0].take(.chat(.wanted(id)), in: &model) })
      case .newPrompt:
        let shown = show(tabs.firstIndex { $0 is ListTab<WorkSource> } ?? selected)
        return shown + settle(tabs[selected].perform(.newPrompt, in: &model))
      default: return [.perform(effect)]
      }
    }
  }
}

extension ConsoleScreen {
  var layout: ConsoleLayout {
    ConsoleLayout(size, bannerRows: 2 * model.board.servers.count { $0.failure != nil })
  }

  func view(at moment: Timestamp, frame: Int) -> ScreenView {
    let (layout, width) = (layout, size.columns)
    var canvas = Canvas(size)
    let titles = tabs.enumerated().map { index, tab -> ConsoleChrome.TabTitle in
      (tab.title, tab.count(in: model), index == selected)
    }
    let head = layout.isTooSmall ? ConsoleChrome.tooSmall : ConsoleChrome.tabs(titles, width: width)
    let refresh = keys.first { $0.command == "refresh" }
    let banner = ConsoleChrome.banner(
      model.board.servers,
      refreshKey: refresh?.name ?? "",
      at: model.now
    )
    let above = [head] + ConsoleChrome.fitted(banner, rows: layout.bannerRows)
    canvas.draw(above, in: Rect(rows: above.count, columns: width))
    let cursor = draw(on: &canvas, layout)
    return ScreenView(canvas, cursor: cursor, title: windowTitle)
  }

  private func draw(on canvas: inout Canvas, _ layout: ConsoleLayout) -> Cursor? {
    var cursor = tabs[selected].draw(on: &canvas, layout, model)
    if layout.footRows > 0 {
      canvas.draw([notice], in: layout.notice)
      var foot = layout.notice
      foot.row += 1
      canvas.draw([ConsoleChrome.footer(hints, width: size.columns)], in: foot)
    }
    for layer in layers { cursor = layer.draw(on: &canvas, layout, table) ?? cursor }
    return cursor
  }

  /// The row of notices.
  private var notice: StyledText {
    if let note = model.note ?? tabs[selected].notice { return StyledText(note, .warning) }
    let silent = model.board.servers.filter(\.isNew).map(\.name)
    let facts = [
      silent.isEmpty ? nil : "waiting for \(silent.joined(separator: ", "))",
      model.isReadOnly ? "read-only" : nil, hasMouse ? Self.mouseNote : nil,
    ]
    return StyledText(facts.compactMap(\.self).joined(separator: ", "), .dim)
  }

  private var hints: [KeyHint] {
    layers.last?.hints ?? tabs[selected].ownHints ?? keys.footer
  }

  /// The number of pending requests comes first, because lists of windows cut titles.
  private var windowTitle: String {
    let count =
      model.board.openCount(at: model.now) + model.board.waitingCount(at: model.now)
    return count > 0 ? "(\(count)) \(name)" : name
  }
}
