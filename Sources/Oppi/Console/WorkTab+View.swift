// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension WorkTab {
  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    let detail = detailBlock(layout.side ?? layout.body, model)
    guard let side = layout.side else {
      return canvas.draw(detail ?? listBlock(model), in: layout.body)
    }
    canvas.draw(listBlock(model), in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(detail, in: side)
    } else if let session = list.selection.flatMap({ listed($0, model) }) {
      canvas.draw(WorkRows.summary(of: session, width: side.columns, at: model.now), in: side)
    }
  }

  private func detailBlock(_ area: ConsoleArea, _ model: ConsoleModel) -> ScreenBlock? {
    switch mode {
    case .list: nil
    case .timeline(let timeline):
      timeline.view(of: listed(timeline.id, model), at: model.now)
    case .reply(let field): replyBlock(field, area, model)
    case .stop(let question): question.view(width: area.columns, rows: area.rows)
    }
  }

  /// The field of a message, below the session that gets it.
  private func replyBlock(
    _ field: ReplyField,
    _ area: ConsoleArea,
    _ model: ConsoleModel
  ) -> ScreenBlock {
    let session = listed(field.id, model)
    let place = session.map { WorkRows.place(of: $0) } ?? field.id.sessionID
    var lines = [StyledText("Message to \(place)", .heading)]
    if let session {
      lines += WorkRows.summary(of: session, width: area.columns, at: model.now)
    }
    if session?.phase == .running {
      lines.append(StyledText("queued behind the running turn", .dim))
    }
    let text = field.composer.layout(
      width: area.columns,
      prompt: StyledText("› ", .name),
      maxRows: max(1, area.rows / 2)
    )
    lines = Array(lines.prefix(max(0, area.rows - text.lines.count)))
    return ScreenBlock(
      lines: lines + text.lines,
      cursor: (lines.count + text.cursor.row, text.cursor.column)
    )
  }

  private func listBlock(_ model: ConsoleModel) -> ScreenBlock {
    var block = ScreenBlock(lines: [head(model)], cursor: (0, 0))
    guard !list.order.isEmpty else {
      let isFiltered = phase != nil || !text.isEmpty || hits != nil
      block.lines.append(
        ConsoleEmpty.text(ConsoleEmpty.sessions, unless: model.emptiness, isFiltered: isFiltered)
      )
      return block
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      block.lines +=
        listed(id, model).map { session in
          WorkRows.rows(
            of: session,
            width: area.columns,
            isSelected: isSelected,
            isNew: list.fresh.contains(id),
            at: model.now
          )
        } ?? RequestRows.gone(width: area.columns, isSelected: isSelected)
    }
    return block
  }

  /// The groups with their numbers; the chosen one is in brackets.
  private func head(_ model: ConsoleModel) -> StyledText {
    let counts = Dictionary(grouping: model.board.sessions(), by: \.phase).mapValues(\.count)
    let choices: [SessionPhase?] = [nil] + SessionPhase.allCases
    let titles = choices.map { choice -> ConsoleChrome.FilterTitle in
      let count = choice.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
      return ("\(choice?.title ?? "All") \(count)", choice == phase)
    }
    if let hits {
      let words = hits.count == 1 ? "1 session contains" : "\(hits.count) sessions contain"
      return StyledText("\(words) the text; Esc: all sessions", .warning)
        .truncated(to: area.columns)
    }
    return ConsoleChrome.filters(titles, text: text, new: list.fresh.count, width: area.columns)
  }
}
