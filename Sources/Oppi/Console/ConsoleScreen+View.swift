// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension ConsoleScreen {
  var layout: ConsoleLayout {
    ConsoleLayout(size, bannerRows: 2 * model.board.servers.count { $0.failure != nil })
  }

  func view(at moment: Timestamp, frame: Int) -> ScreenBlock {
    let layout = layout
    var canvas = ConsoleCanvas(size)
    let titles = tabs.enumerated().map { index, tab -> ConsoleChrome.TabTitle in
      (tab.title, tab.count(in: model), index == selected)
    }
    let head =
      layout.isTooSmall ? ConsoleChrome.tooSmall : ConsoleChrome.tabs(titles, width: size.columns)
    canvas.draw([head], in: layout.tabs)
    let banner = ConsoleChrome.banner(model.board.servers, at: model.now)
    canvas.draw(ConsoleChrome.fitted(banner, rows: layout.banner.rows), in: layout.banner)
    if case .help(let scroll) = overlay {
      canvas.draw(helpLines.shown(scroll), in: layout.body)
      canvas.cursor = (layout.body.row, 0)
    } else {
      tabs[selected].draw(on: &canvas, layout, model)
    }
    drawFoot(on: &canvas, layout)
    return ScreenBlock(lines: canvas.lines, cursor: canvas.cursor, title: windowTitle)
  }

  private func drawFoot(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout) {
    if case .filter(let composer) = overlay {
      let prompt = StyledText("/", .name)
      let field = composer.layout(width: layout.notice.columns, prompt: prompt, maxRows: 1)
      canvas.draw(ScreenBlock(lines: field.lines, cursor: field.cursor), in: layout.notice)
    } else if let note = model.note {
      canvas.draw([StyledText(note, .warning)], in: layout.notice)
    } else if model.isReadOnly {
      canvas.draw([StyledText("read-only", .dim)], in: layout.notice)
    }
    canvas.draw([ConsoleChrome.footer(hints, width: layout.footer.columns)], in: layout.footer)
  }

  private var hints: [KeyHint] {
    switch overlay {
    case .help:
      [
        KeyHint(keys: "↓", label: "scroll"),
        KeyHint(keys: "Esc", label: "close"),
      ]
    case .filter:
      [
        KeyHint(keys: "Enter", label: "keep"),
        KeyHint(keys: "Esc", label: "clear"),
      ]
    case nil: tabs[selected].takesAllKeys ? tabs[selected].ownHints : keys.footer
    }
  }

  var helpLines: [StyledText] {
    let own = tabs[selected].keys(in: model).map(\.hint)
    let general = generalKeys.map(\.hint).filter { !$0.help.isEmpty }
    return ConsoleChrome.help([(tabs[selected].title, own), ("Everywhere", general)])
      .flatMap { $0.folded(to: size.columns) }
  }

  /// The number of pending requests comes first, because lists of windows cut titles.
  private var windowTitle: String {
    let count =
      model.board.openCount(at: model.now) + model.board.waitingCount(at: model.now)
    return count > 0 ? "(\(count)) \(name)" : name
  }
}
