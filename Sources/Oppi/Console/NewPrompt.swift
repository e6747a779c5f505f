// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

/// The form of a prompt for a new session: the workspace, the model, then the prompt.
///
/// The whole order is on the screen before Enter sends it.
struct NewPrompt: ListPage {
  struct Order: Sendable, Equatable {
    let workspace: ServerWorkspace
    /// `nil` for the workspace's default.
    let model: String?
    let text: String
  }

  private enum Step: Sendable {
    case workspace
    case model
    case text
  }

  private var step = Step.workspace
  /// The workspaces with unique names, the last used one first; `nil` until they were listed.
  private var workspaces: [(name: String, workspace: ServerWorkspace)]?
  /// The chosen one.
  private(set) var workspace: ServerWorkspace?
  private var model: String?
  private var field = Composer.oneLine
  private var choice = 0
  /// The text of an order that was not sent.
  private var draft: String?
  private var shownAt: Duration?

  /// Starts with the order that was not sent before, if there is one.
  init(in model: inout ConsoleModel) {
    guard let order = model.newPrompt else { return }
    model.newPrompt = nil
    (workspace, self.model, draft) = (order.workspace, order.model, order.text)
    go(to: .text)
  }

  let coversList = true

  let opening: [ConsoleEffect] = [.work(.listWorkspaces)]

  var hints: [KeyHint] {
    switch step {
    case .workspace: [KeyHint("Enter", "next"), KeyHint("↑ ↓", "select"), KeyHint("Esc", "cancel")]
    case .model:
      [
        KeyHint("Enter", "next"), KeyHint("↑ ↓", "select"), KeyHint("Tab", "default"),
        KeyHint("Esc", "cancel"),
      ]
    case .text:
      [KeyHint("Enter", "send"), KeyHint("Alt-Enter", "new line")] + field.pasteHints
        + [KeyHint("Esc", "cancel")]
    }
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the form counts as new.
  mutating func isShownAgain() { shownAt = nil }

  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    // A later list would move what is selected.
    guard workspaces == nil, case .workspaces(let all)? = news.own(WorkNews.self) else { return [] }
    workspaces = Array(zip(all.names(), all))
    return []
  }

  // MARK: - Keys

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    if key == .escape || key == .control("c") {
      model.newPrompt = step == .text ? order(field.text) : nil
      return .closes()
    }
    if step == .text { return type(key, in: &model) }
    let found = candidates(in: model)
    switch key {
    case .up: choice = max(0, choice - 1)
    case .down: choice = max(0, min(choice + 1, found.count - 1))
    case .enter: choose(found)
    case .tab where step == .model: go(to: .text)
    case .tab, .newline: break
    default:
      _ = field.apply(key)
      choice = 0
    }
    return .stays()
  }

  /// Enter sends nothing within a second after the prompt was asked for.
  private mutating func type(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    guard key != .enter || shownAt.isSeen(at: model.moment) else {
      model.note = ReplyField.tooEarlyNotice
      return .stays()
    }
    guard case .send(let text)? = field.apply(key), let order = order(text) else { return .stays() }
    model.note = "sending to \(name(of: order.workspace).safeLine(limit: 60))"
    return .closes([.work(.launch(order))])
  }

  private func order(_ text: String) -> Order? {
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    return workspace.map { Order(workspace: $0, model: model, text: text) }
  }

  private mutating func choose(_ found: [String]) {
    switch step {
    case .workspace:
      guard found.indices.contains(choice) else { return }
      workspace = workspaces?.first { $0.name == found[choice] }?.workspace
      go(to: .model)
    case .model:
      let typed = field.text.safeLine(limit: 100).trimmed
      model = found.indices.contains(choice) ? found[choice] : typed
      if model == Self.defaultModel { model = nil }
      go(to: .text)
    case .text: break
    }
  }

  private mutating func go(to step: Step) {
    (self.step, choice, shownAt) = (step, 0, nil)
    field = step == .text ? Composer(foldsPastes: true) : .oneLine
    field.replace(step == .text ? draft ?? "" : "")
  }

  private func name(of workspace: ServerWorkspace) -> String {
    let known = workspaces?.first { $0.workspace.reference == workspace.reference }
    return known?.name ?? workspace.qualifiedName
  }

  private static let defaultModel = "the workspace's default"

  /// What may be chosen now: the workspaces, or the models of listed sessions, that match the text.
  private func candidates(in model: ConsoleModel) -> [String] {
    let all: [String]
    switch step {
    case .workspace: all = (workspaces ?? []).map(\.name)
    case .model:
      var known: Set<String> = []
      let models = model.board.sessions().compactMap(\.status.model)
      all = [Self.defaultModel] + models.filter { known.insert($0).inserted }
    case .text: all = []
    }
    let text = field.text.safeLine(limit: 100).trimmed
    return all.filter { text.isFound(in: [$0]) }
  }

  // MARK: - View

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    var lines = [StyledText("New prompt", .heading)]
    if let workspace { lines.append(Self.fact("workspace", name(of: workspace))) }
    if step == .text { lines.append(Self.fact("model", self.model ?? Self.defaultModel)) }
    guard step != .text else {
      return field.field("› ", below: lines, size, maxRows: size.rows / 2)
    }
    let (found, room) = (candidates(in: model), max(1, size.rows - lines.count - 1))
    let top = max(0, choice - room + 1)
    for (index, name) in found.enumerated().dropFirst(top).prefix(room) {
      let isChosen = index == choice
      lines.append(StyledText("\(isChosen ? "▸" : " ") \(name)", isChosen ? .name : .plain))
    }
    if found.isEmpty { lines.append(StyledText(nothing, .dim)) }
    return field.field(
      step == .workspace ? "workspace › " : "model › ",
      below: lines,
      size,
      maxRows: 1
    )
  }

  /// Why there is nothing to choose.
  private var nothing: String {
    switch step {
    case .workspace: workspaces == nil ? "listing the workspaces…" : "no such workspace"
    case .model, .text: "Enter takes the name as it is typed"
    }
  }

  private static func fact(_ name: String, _ value: String) -> StyledText {
    StyledText("\(name): ", .dim).with(StyledText(value, .name))
  }
}
