// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The requests of all servers with a mark each, and the question before the marks are sent.
///
/// A request is marked allow only in its panel, by the rules of the chat. Nothing is sent from here:
/// after the confirmation the screen closes, and ``confirmed`` has the marks.
struct BatchTab: ConsoleTab {
  /// The columns of the marks.
  static let markColumns = 8
  /// After a mark, an Enter still belongs to it.
  private static let doublePress = ApprovalPolicy.doublePress

  private(set) var list = SteadyList<BoardRequest.ID>()
  private(set) var marks = BatchMarks()
  private(set) var detail: RequestDetail?
  private(set) var confirmation: BatchQuestion?
  /// What the user confirmed to send; empty until then.
  private(set) var confirmed: [BatchMarks.Mark] = []
  private var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)
  private var markedAt: Duration?
  /// Whether the last key asked to leave without sending.
  private var isLeaving = false

  var title: String { "Decide" }

  var canFilter: Bool { false }

  func count(in model: ConsoleModel) -> Int { open(in: model).count }

  /// The requests of the list, the most urgent first; those that ended come last.
  private func ids(in model: ConsoleModel) -> [BoardRequest.ID] {
    model.board.requests(at: model.now).map(\.id)
  }

  /// The pending requests of the list.
  func open(in model: ConsoleModel) -> [BoardRequest.ID] {
    ids(in: model).filter { model.board.request($0)?.isOpen(at: model.now) == true }
  }

  func counts(in model: ConsoleModel) -> BatchMarks.Counts {
    marks.counts(among: open(in: model))
  }

  // MARK: - Keys

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let hasRows = !list.order.isEmpty
    let selected = list.selection.flatMap(model.board.request)
    let isOpen = selected?.isOpen(at: model.now) ?? false
    let hasMark = list.selection.flatMap { marks[$0] } != nil
    return [
      KeyRow(
        [.enter, .right],
        "Enter",
        "open",
        help: "Show the selected request in full, to mark it allow or deny",
        .open,
        when: selected != nil
      ),
      KeyRow([.text("d")], "d", "deny", help: "Mark it deny", .markDeny, when: isOpen),
      KeyRow(
        [.text("u"), .backspace],
        "u",
        "unmark",
        help: "Remove the mark of the selected request",
        .unmark,
        when: hasMark
      ),
      KeyRow(
        [.text("s")],
        "s",
        "send",
        help: "Send all marks; asks first",
        .send,
        when: !marks.isEmpty
      ),
    ] + ConsoleKeys.list(hasRows: hasRows) + [
      KeyRow(
        [.text("q"), .control("d")],
        "q",
        help: "Exit without sending; a second q is needed if there are marks",
        .discard,
        when: !marks.isEmpty && !isLeaving
      )
    ]
  }

  /// The command of the selected call, or the text of the dialog.
  func copyText(in model: ConsoleModel) -> String? {
    let request = list.selection.flatMap(model.board.request)?.request
    return request?.lines.joined(separator: "\n")
  }

  var takesAllKeys: Bool { detail != nil || confirmation != nil }

  var ownHints: [KeyHint] { confirmation?.hints ?? detail?.hints ?? [] }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    isLeaving = action == .discard
    if list.perform(action, page: visibleCount) { return [] }
    switch action {
    case .open: open(at: pressed, in: model)
    case .markDeny:
      guard let request = list.selection.flatMap(model.board.request),
        request.isOpen(at: model.now)
      else { break }
      _ = marks.mark(request, .decision(.deny))
    case .unmark: if let id = list.selection { marks.unmark(id) }
    case .send: confirmation = BatchQuestion(marks.all, counts(in: model))
    case .discard: model.note = "nothing was sent; press q again to exit and discard the marks"
    default: break
    }
    return []
  }

  private mutating func open(at pressed: Duration, in model: ConsoleModel) {
    if let markedAt, pressed < markedAt + Self.doublePress { return }
    guard let id = list.selection, let request = model.board.request(id) else { return }
    let way = model.board.server(id.serverID)?.way ?? .permissions
    detail = RequestDetail(request, for: way, isReadOnly: model.isReadOnly, to: .mark)
  }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard !dropMarks(&model) else { return [] }
    if confirmation != nil { return answer(key, at: pressed, &model) }
    guard var open = detail else { return [] }
    let outcome = open.take(key, at: pressed)
    detail = open
    switch outcome {
    case .taken: break
    case .closed: detail = nil
    case .replied(let reply, _):
      (detail, markedAt) = (nil, pressed)
      guard let latest = model.board.request(open.id), latest.isOpen(at: model.now),
        latest.request == open.request.request, marks.mark(open.request, reply)
      else {
        model.note = "not marked: no longer pending, or changed"
        break
      }
      model.note = "marked: \(marks[open.id]?.word ?? ""); s sends all marks"
    }
    return []
  }

  private mutating func answer(
    _ key: Key,
    at pressed: Duration,
    _ model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard var question = confirmation else { return [] }
    let outcome = question.take(key, at: pressed)
    confirmation = question
    switch outcome {
    case .waiting: break
    case .unconfirmed(let why): model.note = why
    case .cancelled: (confirmation, model.note) = (nil, "nothing was sent")
    case .confirmed:
      confirmed = marks.all
      return [.leave]
    }
    return []
  }

  // MARK: - Time and news

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    list.update(ids(in: model))
    list.fit(visibleCount)
    if var question = confirmation {
      // Other counts are another question.
      let present = counts(in: model)
      if question.counts != present { question = BatchQuestion(marks.all, present) }
      question.fit(layout.body.size)
      confirmation = question
    }
    guard var open = detail else { return }
    if let latest = model.board.request(open.id) { open.update(latest, at: model.now) }
    open.fit((layout.side ?? layout.body).size)
    open.layOut(at: model.now)
    detail = open
  }

  mutating func take(
    _ news: ConsoleNews,
    at now: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    _ = dropMarks(&model)
    return []
  }

  /// Drops the marks of requests that changed or ended, and says so; returns whether there were any.
  ///
  /// The confirmation starts again with the other marks.
  private mutating func dropMarks(_ model: inout ConsoleModel) -> Bool {
    let lost = marks.drop(after: model.board, at: model.now)
    guard let first = lost.first else { return false }
    if confirmation != nil {
      confirmation = marks.isEmpty ? nil : BatchQuestion(marks.all, counts(in: model))
    }
    let what = lost.count == 1 ? first.request.approval.call : "\(lost.count) requests"
    model.note = "mark dropped, no longer pending or changed: \(what.safeLine(limit: 100))"
    return true
  }

  var visibleCount: Int {
    let rows = RequestRows.rowsPerRequest(width: max(1, area.columns - Self.markColumns))
    return max(1, (area.rows - headRows) / rows)
  }

  /// The rows above the list.
  private var headRows: Int { 2 }

  mutating func wasShown(at now: Duration) {
    if confirmation != nil {
      confirmation?.wasShown(at: now)
    } else {
      detail?.wasShown(at: now)
    }
  }

  mutating func wait(at now: Duration, in model: inout ConsoleModel) -> [ConsoleEffect] {
    confirmation?.wait(at: now)
    detail?.wait(at: now)
    _ = dropMarks(&model)
    return []
  }

  mutating func isShownAgain() {
    confirmation = confirmation?.shownAgain
    detail?.isShownAgain()
  }
}

extension BatchTab {
  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    if let confirmation { return canvas.draw(confirmation.view, in: layout.body) }
    guard let side = layout.side else {
      let block = detail.map { view(of: $0, model) } ?? listBlock(layout.list, model)
      return canvas.draw(block, in: layout.body)
    }
    canvas.draw(listBlock(layout.list, model), in: layout.list)
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

  private func listBlock(_ area: ConsoleArea, _ model: ConsoleModel) -> ScreenBlock {
    var block = ScreenBlock(lines: head(area, model), cursor: (0, 0))
    guard !list.order.isEmpty else {
      let text = ConsoleEmpty.requests
      block.lines.append(ConsoleEmpty.text(text, unless: model.emptiness, isFiltered: false))
      return block
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      if id == list.selection { block.cursor = (block.lines.count, 0) }
      block.lines += rows(of: id, width: area.columns, model)
    }
    return block
  }

  /// The numbers of marks, and how to make and send them.
  private func head(_ area: ConsoleArea, _ model: ConsoleModel) -> [StyledText] {
    var counts = StyledText(self.counts(in: model).text, .heading)
    if !list.fresh.isEmpty { counts.append("  \(list.fresh.count) new below, Home: sort", .name) }
    let note = StyledText("open a request to allow or answer it; nothing is sent before s", .dim)
    return [counts, note].map { $0.truncated(to: area.columns) }
  }

  private func rows(of id: BoardRequest.ID, width: Int, _ model: ConsoleModel) -> [StyledText] {
    let isSelected = id == list.selection
    let room = max(1, width - Self.markColumns)
    let rows =
      model.board.request(id).map { request in
        RequestRows.rows(
          of: request,
          width: room,
          isSelected: isSelected,
          isNew: list.fresh.contains(id),
          at: model.now
        )
      } ?? RequestRows.gone(width: room, isSelected: isSelected)
    let space = StyledText(String(repeating: " ", count: Self.markColumns))
    return rows.enumerated().map { index, row in
      (index == 0 ? mark(of: id) : space).with(row).truncated(to: width)
    }
  }

  /// The mark of a request in words, as wide as its column.
  private func mark(of id: BoardRequest.ID) -> StyledText {
    let (word, style): (String, Style) =
      if let mark = marks[id] {
        (mark.word, mark.reply.isRefusal ? .warning : .success)
      } else if marks.dropped.contains(id) {
        ("dropped", .error)
      } else {
        ("-", .dim)
      }
    let space = String(repeating: " ", count: max(0, Self.markColumns - word.count))
    return StyledText(word, style).with(StyledText(space))
  }
}
