// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A page of the menu above the main one; the pages below it are those to which the user returns.
enum MenuPage: Sendable {
  case section(MenuSection)
  /// What can be done with a session, a schedule, or an item of the settings.
  case item(MenuItem)
  case request(OpenRequest)
  /// The next line is a message to the session, or its new name.
  case text(ReplyField.Purpose, ListedSession.ID)
  /// The choice of a workspace for a new session; `nil` until they were listed.
  case workspaces([ServerWorkspace]?)
  /// The next line is the prompt for a new session in the workspace.
  case prompt(ServerWorkspace)
  /// Lines are for the agent of the session; `nil` until the chat is open.
  case chat(ListedSession.ID, ChatLines?)
  /// The next line confirms the change if it is the word `yes`.
  case confirm(ConsoleChange)
}

/// The parts of the main menu, in order.
enum MenuSection: String, CaseIterable, Sendable {
  case now = "Now"
  case approvals = "Approvals"
  case work = "Work"
  case chat = "Chat"
  case schedules = "Schedules"
  case costs = "Costs"
  case settings = "Settings"
}

/// An item of a section's list.
struct MenuItem: Sendable, Equatable {
  let section: MenuSection
  let id: any Hashable & Sendable

  /// `nil` for what is not a session.
  var session: ListedSession.ID? {
    if case .session(let id)? = id as? NowItem.ID { id } else { id as? ListedSession.ID }
  }

  /// `nil` for what is not a request.
  var request: ListedRequest.ID? {
    if case .request(let id)? = id as? NowItem.ID { id } else { id as? ListedRequest.ID }
  }

  static func == (first: MenuItem, second: MenuItem) -> Bool {
    first.section == second.section && AnyHashable(first.id) == AnyHashable(second.id)
  }
}

/// A numbered line of a page.
struct MenuEntry: Sendable {
  enum Target: Sendable, Equatable {
    case section(MenuSection)
    case item(MenuItem)
    case workspace(ServerWorkspace)
    /// Has the name of the action's row in the table of keys.
    case action(String)
  }

  let target: Target
  /// The line without its number.
  let line: String
  /// The heading of its part of the list; `nil` for none.
  var heading: String?
  var state = SpokenItem.State()
}

/// The numbered lists of the menu.
extension ConsoleMenu {
  /// The entries that are printed at once; `more` prints the next ones.
  private static let listLimit = 20

  /// The choices on the current page.
  var entries: [MenuEntry] {
    switch page {
    case nil: MenuSection.allCases.map { MenuEntry(target: .section($0), line: line(of: $0)) }
    case .section(let section)?:
      source(of: section).spoken(width: width, in: model).map { id, item, heading in
        let target = MenuEntry.Target.item(MenuItem(section: section, id: id))
        return MenuEntry(target: target, line: item.line, heading: heading, state: item.state)
      }
    case .item(let item)?:
      actions(on: item).map { row in
        let (words, state) = (row.spoken?.words ?? "", spoken(item)?.state ?? .init())
        return MenuEntry(target: .action(row.name), line: words, state: state)
      }
    case .workspaces(let all)?:
      (all ?? []).map { MenuEntry(target: .workspace($0), line: $0.qualifiedName.safeLine()) }
    case .request, .text, .prompt, .chat, .confirm: []
    }
  }

  private func line(of section: MenuSection) -> String {
    switch section {
    case .now:
      let count = now.count(in: model)
      let words = NowItem.Block.needs.rawValue.lowercased()
      return "\(section.rawValue), \(count == 0 ? "none" : "\(count)") \(words)"
    case .approvals:
      let count = model.board.openCount(at: model.now)
      return "\(section.rawValue), \(count == 0 ? "none" : "\(count)") pending"
    case .work:
      let failed = model.board.sessions(.failed).count
      let waiting = model.board.sessions(.waiting).count
      let facts = [
        model.board.sessions().count.counted("session"),
        waiting > 0 ? "\(waiting) \(SessionPhase.waiting.word)" : nil,
        failed > 0 ? "\(failed) failed" : nil,
      ]
      return "\(section.rawValue), \(facts.compactMap(\.self).joined(separator: ", "))"
    case .chat, .schedules, .costs, .settings: return section.rawValue
    }
  }

  // MARK: - The lists of the console

  func source(of section: MenuSection) -> any ListSource {
    switch section {
    case .now: now
    case .approvals: ApprovalsSource()
    case .work, .chat: WorkSource()
    case .schedules: schedules
    case .costs: costs
    case .settings: settings
    }
  }

  /// `nil` if the item is no longer listed.
  func spoken(_ item: MenuItem) -> SpokenItem? {
    source(of: item.section).look(at: item.id, width: width, in: model)?.spoken
  }

  /// What can be done with an item now, in the order of the line form.
  func actions(on item: MenuItem) -> [KeyRow] {
    let keys = source(of: item.section).look(at: item.id, width: width, in: model)?.keys ?? []
    return keys.filter { $0.action != nil && $0.spoken != nil }
      .sorted { ($0.spoken?.place ?? 0) < ($1.spoken?.place ?? 0) }
  }

  // MARK: - Printing

  /// Prints the current page with new numbers.
  mutating func show() -> [Action] {
    numbered = (entries, 0)
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
    var heading = first > 0 ? numbered.entries[first - 1].heading : nil
    return zip((first + 1)..., shown).flatMap { number, entry in
      defer { heading = entry.heading }
      let head = entry.heading.flatMap { $0 == heading ? nil : [StyledText("\($0):")] } ?? []
      return head + [StyledText("\(number) \(entry.line)")]
    } + more
  }

  private var head: [StyledText] {
    switch page {
    case nil:
      let servers = model.board.servers.compactMap { $0.spoken(at: model.now) }
      let state = model.isReadOnly ? ", read-only" : ""
      return [StyledText("main menu\(state)")] + servers.map { StyledText("warning: \($0)") }
    case .section(let section)?: return head(of: section)
    case .item(let item)?:
      let title = spoken(item).map { $0.title ?? $0.line } ?? Self.gone
      let session = item.session.map { [StyledText("session \($0.sessionID)")] } ?? []
      return [StyledText(title)] + session
    case .workspaces(let all)?:
      let title = all?.isEmpty == true ? "no workspaces" : "which workspace?"
      return [StyledText("New prompt: \(title)")]
    case .request, .text, .prompt, .chat, .confirm: return []
    }
  }

  static let gone = "no longer listed"

  private func head(of section: MenuSection) -> [StyledText] {
    let frame = source(of: section).frame(in: model)
    let notes =
      (section == .approvals ? frame.emptyNote.map { [$0] } ?? [] : [])
      + frame.problems.map { "warning: \($0)" }
    let count = numbered.entries.count
    let title: StyledText
    if count > 0 {
      let question = section == .chat ? ": which session?" : ", \(count) in the list"
      title = StyledText("\(section.rawValue)\(question)")
    } else {
      let empty = ConsoleEmpty.text(frame.empty, unless: frame.unknown, isFiltered: false)
      title = StyledText("\(section.rawValue): ").with(empty)
    }
    return [title] + notes.map { StyledText($0) }
  }

  private var foot: String {
    let number = numbered.entries.isEmpty ? "" : "type a number, or "
    return pages.isEmpty
      ? "\(number)question mark for help, q to leave"
      : "\(number)0 to go back, question mark for help"
  }
}

extension ListSource {
  /// What the line form tells of all items.
  fileprivate func spoken(
    width: Int,
    in model: ConsoleModel
  ) -> [(id: any Hashable & Sendable, item: SpokenItem, heading: String?)] {
    items(group: 0, matching: "", in: model).map { item in
      (item.id, item.spoken(width: width, at: model.now), heading(of: item, sortedBy: nil))
    }
  }

  /// What the line form tells of an item, and its keys; `nil` if it is no longer listed.
  fileprivate func look(
    at id: any Hashable & Sendable,
    width: Int,
    in model: ConsoleModel
  ) -> (spoken: SpokenItem, keys: [KeyRow])? {
    guard let id = id as? Item.ID, let item = item(id, in: model) else { return nil }
    return (item.spoken(width: width, at: model.now), keys(for: item, in: model))
  }
}
