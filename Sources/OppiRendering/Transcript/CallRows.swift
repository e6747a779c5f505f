// SPDX-License-Identifier: MIT

package import OppiModel

/// One call of a conversation in full: its input and its output.
package enum CallRows {
  /// The maximum number of output bytes that are shown.
  package static let outputLimit = 4 << 20

  /// Returns the call in rows, safe to show, of at most `width` columns, but at least 8.
  ///
  /// Long lines continue in the next row.
  package static func rows(of call: PastCall, width: Int) -> [StyledText] {
    let width = max(8, width)
    let mark = StatusMark(call.activity.state)
    let name = ToolRenderers.name(of: call.activity)
    var title = StyledText("\(mark.symbol) ", mark.style)
    title.append("#\(call.number) ", .dim)
    title.append(name, .name)
    title.append("  \(mark.word)", mark.style)
    if let duration = call.activity.duration {
      title.append(" \(ElapsedTime.text(duration))", .dim)
    }
    let input = RequestText.rows(
      ofInput: call.activity.arguments,
      to: call.activity.tool,
      width: width
    )
    return [title.truncated(to: width)] + input + output(of: call, width: width)
  }

  private static func output(of call: PastCall, width: Int) -> [StyledText] {
    guard let output = call.output else { return [StyledText("no result", .dim)] }
    let text = output.head(bytes: outputLimit)
    var rows = TextBlock.lines(of: text).flatMap { line in
      StyledText(line).cut(to: width, rest: StyledText("↪ ", .dim))
    }
    let missing = output.utf8.count - text.utf8.count
    if missing > 0 { rows.append(StyledText("… \(missing) more bytes", .warning)) }
    let images = call.activity.imageCount
    if images > 0 { rows.append(StyledText(images.counted("image"), .dim)) }
    return rows
  }
}
