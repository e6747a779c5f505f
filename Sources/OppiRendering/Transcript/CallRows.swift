// SPDX-License-Identifier: MIT

package import OppiModel

/// One call of a conversation in full: what it was made with and all that it has printed.
package enum CallRows {
  /// The most bytes of an output that are shown.
  package static let outputLimit = 4 << 20

  /// Returns the call in rows for a person's eyes, safe to show.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - width: The columns that no row exceeds, 8 at the least; what is cut at the end of a row goes
  ///     on in the next.
  /// - Returns: The rows, of which there are no more than the output's limit has bytes.
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
    if images > 0 { rows.append(StyledText(images == 1 ? "1 image" : "\(images) images", .dim)) }
    return rows
  }
}
