// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

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
