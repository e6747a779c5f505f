// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension SchedulesTab {
  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    let room = layout.side ?? layout.body
    let detail = detailBlock(room)
    guard let side = layout.side else {
      return canvas.draw(detail ?? listBlock, in: layout.body)
    }
    canvas.draw(listBlock, in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(detail, in: side)
    } else if let item = list.selection.flatMap({ items[$0] }) {
      canvas.draw(item.detail(width: side.columns), in: side)
    }
  }

  private func detailBlock(_ area: ConsoleArea) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let shown = lines(of: id, width: area.columns).shown(scroll)
      return ScreenBlock(lines: shown, cursor: (0, 0))
    case .form(let form): return form.view(width: area.columns, rows: area.rows)
    case .ask(let question): return question.view(width: area.columns, rows: area.rows)
    }
  }

  private var listBlock: ScreenBlock {
    var block = ScreenBlock(lines: [], cursor: (0, 0))
    if list.order.isEmpty {
      block.lines.append(
        ConsoleEmpty.text(
          ConsoleEmpty.schedules,
          unless: isRead ? nil : ConsoleEmpty.loading,
          isFiltered: !text.isEmpty
        )
      )
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      block.lines +=
        items[id]?.rows(width: area.columns, isSelected: isSelected)
        ?? [StyledText("  no longer listed", .dim), StyledText()]
    }
    block.lines += problems.map { StyledText("✗ \($0)", .error).truncated(to: area.columns) }
    return block
  }
}
