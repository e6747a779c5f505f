// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTerminal
package import OppiText

/// A part of a conversation that can be copied.
package struct TurnSource: Sendable, Equatable {
  /// The rows that show it.
  package let rows: Range<Int>
  /// As it was written: Markdown, code without its fences, or a command.
  package let text: String
}

/// The rows of a conversation, and what can be copied of them.
package struct TurnPage: Sendable {
  package private(set) var rows: [StyledText] = []
  /// In the order of their first rows; a block of code follows its message.
  private(set) var sources: [TurnSource] = []
  private var parts = TurnParts()

  package init() {}

  /// Adds a turn: the prompt, the agent's messages and calls, and the outcome as the last rows.
  ///
  /// No row exceeds `width` columns, but at least 8. The duration of a running call is relative to
  /// `now`. `look` is what the terminal can show instead of the marks of Markdown.
  package mutating func add(
    _ turn: Turn,
    width: Int,
    look: MarkdownLook = .styled,
    now: Timestamp
  ) {
    let width = max(8, width)
    if !rows.isEmpty { rows.append(StyledText()) }
    parts = TurnParts()
    add(.prompt, TurnRows.prompt(of: turn, width: width, now: now), turn.prompt)
    for step in turn.steps {
      switch step {
      case .text(let text):
        let (shown, code) = Markdown.layout(of: text, width: width, look: look)
        add(.text, shown, text)
        let start = rows.count - shown.count
        sources += code.map { block in
          let rows = block.rows.lowerBound + start..<block.rows.upperBound + start
          return TurnSource(rows: rows, text: block.source)
        }
      case .steer(let text):
        add(.prompt, TurnRows.message(text, width: width), text)
      case .call(let call):
        let shown = ToolCallRows.rows(for: call, width: width, clock: (now, now))
        add(.call, shown, call.arguments["command"].string)
      }
    }
    add(.end, TurnRows.end(of: turn, width: width), nil)
  }

  /// Adds rows that are no part of a turn.
  package mutating func add(_ rows: [StyledText]) { self.rows += rows }

  private mutating func add(
    _ part: TurnParts.Part,
    _ shown: [StyledText],
    _ text: String?
  ) {
    rows += parts.add(part, shown)
    guard let text, !shown.isEmpty else { return }
    sources.append(TurnSource(rows: rows.count - shown.count..<rows.count, text: text))
  }

  /// What can be copied of the rows that are shown, from the top; of what is at the top, the
  /// smallest part first.
  package func sources(in shown: Range<Int>) -> [TurnSource] {
    let visible = sources.filter { $0.rows.overlaps(shown) }
    let hidden = visible.filter { $0.rows.lowerBound <= shown.lowerBound }
    return hidden.reversed() + visible.dropFirst(hidden.count)
  }
}
