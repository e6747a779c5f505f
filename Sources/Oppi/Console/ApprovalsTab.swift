// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The requests of all servers: the list, and the open request.
struct ApprovalsTab: ConsoleTab {
  /// The rows of the filters, and of the notice about sessions that wait.
  private var headRows = 1
  /// After a decision, an Enter still belongs to it.
  private static let doublePress = ApprovalPolicy.doublePress

  private(set) var list = SteadyList<BoardRequest.ID>()
  private(set) var filter = RequestFilter.all
  private(set) var text = ""
  private(set) var detail: RequestDetail?
  private var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)
  private var decidedAt: Duration?

  var title: String { "Approvals" }

  func count(in model: ConsoleModel) -> Int { model.board.openCount(at: model.now) }

  // MARK: - Keys

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let hasRows = !list.order.isEmpty
    let selected = list.selection.flatMap(model.board.request)
    return [
      KeyRow(
        [.enter, .right],
        "Enter",
        "open",
        help: "Show the selected request in full, to decide it",
        .open,
        when: selected != nil
      )
    ] + ConsoleKeys.list(hasRows: hasRows) + [
      KeyRow([.text("f")], "f", "next filter", help: "Show the next filter", .nextFilter),
      KeyRow([.text("F")], "F", help: "Show the previous filter", .previousFilter),
    ]
  }

  /// The command of the selected call, or the text of the dialog.
  func copyText(in model: ConsoleModel) -> String? {
    let request = list.selection.flatMap(model.board.request)
    return request?.request.lines.joined(separator: "\n")
  }

  var takesAllKeys: Bool { detail != nil }

  var ownHints: [KeyHint] { detail?.hints ?? [] }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if list.perform(action, page: visibleCount) { return [] }
    switch action {
    case .nextFilter: change(to: 1, model)
    case .previousFilter: change(to: -1, model)
    case .open: open(at: pressed, in: model)
    default: break
    }
    return []
  }

  private mutating func change(to step: Int, _ model: ConsoleModel) {
    let all = RequestFilter.allCases
    let index = all.firstIndex(of: filter) ?? 0
    filter = all[(index + step + all.count) % all.count]
    resort(model)
  }

  mutating func filter(by text: String) {
    self.text = text
    list.deselect()
  }

  private mutating func resort(_ model: ConsoleModel) {
    list.update(ids(in: model))
    list.sort()
  }

  private func ids(in model: ConsoleModel) -> [BoardRequest.ID] {
    model.board.requests(filter, matching: text, at: model.now).map(\.id)
  }

  private mutating func open(at pressed: Duration, in model: ConsoleModel) {
    if let decidedAt, pressed < decidedAt + Self.doublePress { return }
    guard let id = list.selection, let request = model.board.request(id) else { return }
    let way = model.board.server(id.serverID)?.way ?? .permissions
    detail = RequestDetail(request, for: way, isReadOnly: model.isReadOnly)
  }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard var open = detail else { return [] }
    let outcome = open.take(key, at: pressed)
    detail = open
    switch outcome {
    case .taken: return []
    case .closed:
      detail = nil
      return []
    case .replied(let reply, let reason):
      (detail, decidedAt) = (nil, pressed)
      guard model.board.begin(reply, to: open.id) else {
        model.note = "no longer pending: already decided or expired"
        return []
      }
      model.note = "waiting for confirmation"
      return [.reply(reply, to: open.request, because: reason)]
    }
  }

  // MARK: - Time and news

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    headRows = model.board.waitingCount(at: model.now) > 0 ? 2 : 1
    list.update(ids(in: model))
    list.fit(visibleCount)
    guard var open = detail else { return }
    if let latest = model.board.request(open.id) {
      open.update(latest, at: model.now)
    }
    open.fit((layout.side ?? layout.body).size)
    open.layOut(at: model.now)
    detail = open
  }

  private var visibleCount: Int {
    max(1, (area.rows - headRows) / RequestRows.rowsPerRequest(width: area.columns))
  }

  mutating func wasShown(at now: Duration) { detail?.wasShown(at: now) }

  mutating func wait(at now: Duration, in model: inout ConsoleModel) -> [ConsoleEffect] {
    detail?.wait(at: now)
    return []
  }

  mutating func isShownAgain() { detail?.isShownAgain() }

  // MARK: - View

  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    guard let side = layout.side else {
      if let detail { return canvas.draw(view(of: detail, model), in: layout.body) }
      return canvas.draw(listBlock(model), in: layout.list)
    }
    canvas.draw(listBlock(model), in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(view(of: detail, model), in: side)
    } else if let request = list.selection.flatMap(model.board.request) {
      canvas.draw(RequestRows.preview(of: request, width: side.columns, at: model.now), in: side)
    }
  }

  private func view(of detail: RequestDetail, _ model: ConsoleModel) -> ScreenBlock {
    let offset = model.board.server(detail.id.serverID)?.clockOffset ?? .zero
    return detail.view(at: model.now, clockOffset: offset)
  }

  private func listBlock(_ model: ConsoleModel) -> ScreenBlock {
    var block = ScreenBlock(lines: [head(model)] + waiting(model), cursor: (0, 0))
    guard !list.order.isEmpty else {
      let isFiltered = filter != .all || !text.isEmpty
      block.lines.append(
        ConsoleEmpty.text(ConsoleEmpty.requests, unless: model.emptiness, isFiltered: isFiltered)
      )
      let note = GateNote.text(of: model.board.servers.map { ($0.name, $0.way) })
      block.lines += note.map { StyledText($0, .dim).folded(to: area.columns) } ?? []
      return block
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      block.lines +=
        model.board.request(id).map { request in
          RequestRows.rows(
            of: request,
            width: area.columns,
            isSelected: isSelected,
            isNew: list.fresh.contains(id),
            at: model.now
          )
        } ?? RequestRows.gone(width: area.columns, isSelected: isSelected)
    }
    return block
  }

  private func waiting(_ model: ConsoleModel) -> [StyledText] {
    let count = model.board.waitingCount(at: model.now)
    guard count > 0 else { return [] }
    let subject = count == 1 ? "1 session waits" : "\(count) sessions wait"
    return [
      StyledText("! \(subject) for an answer: 3 shows Work, o opens the chat", .warning)
        .truncated(to: area.columns)
    ]
  }

  /// The filters with their numbers; the chosen one is in brackets.
  private func head(_ model: ConsoleModel) -> StyledText {
    let titles = RequestFilter.allCases.map { choice -> ConsoleChrome.FilterTitle in
      ("\(choice.title) \(model.board.openCount(choice, at: model.now))", choice == filter)
    }
    return ConsoleChrome.filters(titles, text: text, new: list.fresh.count, width: area.columns)
  }
}
