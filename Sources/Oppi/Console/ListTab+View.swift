// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// The view of a list: its rows with their marks and headings, and what is open next to it.
extension ListTab {
  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ model: ConsoleModel) -> Cursor? {
    if let page, page.coversList {
      return canvas.draw(page.view(layout.body.size, in: model), in: layout.body)
    }
    let open = openBlock(layout, model)
    if let open, !layout.isSplit { return canvas.draw(open, in: layout.body) }
    let listed = drawList(on: &canvas, in: layout.list, model)
    // An empty list has nothing beside it.
    guard layout.isSplit, let beside = open ?? preview(layout, model) else { return listed }
    layout.drawDivider(on: &canvas)
    return canvas.draw(beside, in: layout.detail) ?? listed
  }

  /// The detail of the selected item.
  private func preview(_ layout: ConsoleLayout, _ model: ConsoleModel) -> ScreenBlock? {
    list.selection.map {
      ScreenBlock(lines: detail(of: $0, width: layout.detail.columns, in: model))
    }
  }

  /// What is open in place of the list, or next to it; `nil` for nothing.
  private func openBlock(_ layout: ConsoleLayout, _ model: ConsoleModel) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let lines = detail(of: id, width: layout.detail.columns, in: model)
      return ScreenBlock(lines: lines.shown(scroll), cursor: .focus())
    case .page(let page): return page.view(layout.detail.size, in: model)
    }
  }

  private func drawList(on canvas: inout Canvas, in area: Rect, _ model: ConsoleModel) -> Cursor? {
    let cursor = canvas.draw(listBlock(model), in: area)
    if let cursor, list.position != nil {
      canvas.select(
        Rect(row: cursor.row, column: area.column, rows: 1, columns: area.columns)
      )
    }
    return cursor
  }

  private func listBlock(_ model: ConsoleModel) -> ScreenBlock {
    let rows = listRows(model)
    let selected = rows.firstIndex { $0.id != nil && $0.id == list.selection }
    return ScreenBlock(lines: rows.map(\.line), cursor: .focus(row: selected ?? 0))
  }

  /// A row of the list, and the item that it shows; `nil` for a row around the items.
  typealias Row = (id: ID?, line: StyledText)

  /// The texts around the rows, without what the banner says about a server.
  func frame(in model: ConsoleModel) -> ListFrame {
    var frame = source.frame(in: model)
    let known = Set(model.board.servers.compactMap(\.failure?.message))
    frame.problems.removeAll(where: known.contains)
    return frame
  }

  func listRows(_ model: ConsoleModel) -> [Row] {
    let frame = frame(in: model)
    var lines = head(frame) + frame.notices
    if list.order.isEmpty {
      let isFiltered = group != 0 || !text.isEmpty || frame.search != nil
      lines.append(ConsoleEmpty.text(frame.empty, unless: frame.unknown, isFiltered: isFiltered))
      lines += frame.emptyNote.map { StyledText($0, .dim).folded(to: size.columns) } ?? []
    }
    let problems = frame.problems.map { StyledText("✗ \($0)", .error) }
    return lines.map { (nil, $0) } + itemRows(model) + problems.map { (nil, $0) }
  }

  /// The visible items, below the names of the columns and with their headings.
  private func itemRows(_ model: ConsoleModel) -> [Row] {
    let margin = marginWidth
    let order = list.order
    let visible = order.indices.dropFirst(list.top).prefix(visibleCount)
    var table = source.table(
      of: order,
      visible: visible,
      width: size.columns - margin,
      in: model
    )
    var rows: [Row] = []
    if table.count > visible.count {
      let space = StyledText(String(repeating: " ", count: margin))
      rows.append((nil, space.with(table.removeFirst())))
    }
    for (index, line) in zip(visible, table) {
      let id = order[index]
      if hasHeading(at: index, top: list.top), let heading = headings[id] {
        let count = headingCounts[heading] ?? 0
        rows.append((nil, Self.line(of: "\(heading) · \(count)", width: size.columns)))
      }
      rows.append((id, self.margin(of: id).with(line)))
    }
    return rows
  }

  private static func line(of heading: String, width: Int) -> StyledText {
    let rest = max(0, width - DisplayWidth.of(heading) - 4)
    return StyledText("── ", .dim).with(StyledText(heading, .heading))
      .with(StyledText(" " + String(repeating: "─", count: rest), .dim))
  }

  private var marginWidth: Int { marked.isEmpty ? 2 : 4 }

  /// Which row is selected, which are marked, and which were added below.
  private func margin(of id: ID) -> StyledText {
    let mark = marked.contains(id) ? "▣ " : "  "
    let all = marked.isEmpty ? StyledText() : StyledText(mark, .name)
    if id == list.selection { return StyledText("▸ ", .accent).with(all) }
    return (list.fresh.contains(id) ? StyledText("+ ", .accent) : StyledText("  ")).with(all)
  }

  /// The groups with their numbers, the chosen one in brackets; or that a search has a result.
  func head(_ frame: ListFrame) -> [StyledText] {
    if let search = frame.search { return [StyledText(search, .warning)] }
    let notes = [
      marked.isEmpty ? nil : "\(marked.count) marked",
      sorting.map { "by \($0.lowercased())" },
      text.isEmpty ? nil : "/\(text.safeLine(limit: 40))",
    ]
    .compactMap(\.self)
    guard !frame.groups.isEmpty || !marked.isEmpty else { return [] }
    return [
      ConsoleChrome.filters(frame.groups, chosen: group, notes: notes, width: size.columns)
    ]
  }

  var notice: String? {
    list.fresh.isEmpty ? nil : "\(list.fresh.count) new below, Home: sort"
  }

  func detail(of id: ID, width: Int, in model: ConsoleModel) -> [StyledText] {
    source.item(id, in: model).map { source.detail(of: $0, width: width, in: model) }
      ?? [StyledText("no longer listed", .dim)]
  }
}
