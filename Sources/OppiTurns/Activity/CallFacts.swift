// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// What every view of a tool call shows; the views add columns, labels and markup.
///
/// All texts are safe to show.
struct CallFacts {
  let call: ToolCallActivity

  init(_ call: ToolCallActivity) { self.call = call }

  /// The state: a sign and a word with their style.
  var mark: StatusMark { StatusMark(call.state) }

  /// The tool's name.
  var name: String {
    let name = call.tool.safeLine(limit: 40)
    return name.isEmpty ? "tool" : name
  }

  /// The subject, such as a command or a file, in one line; empty if unknown.
  var subject: String {
    ToolRenderer.of(call).subject(call).head(bytes: 4096).safeLine()
  }

  /// The name and the subject, such as `bash: npm test`.
  var title: String {
    let subject = subject
    return subject.isEmpty ? name : "\(name): \(subject)"
  }

  /// The sign, the number if the call has one, and the name.
  var head: StyledText {
    var head = StyledText("\(mark.symbol) ", mark.style)
    if call.number > 0 { head.append("#\(call.number) ", .dim) }
    head.append(name, .name)
    return head
  }

  /// Why the call was rejected, in one line; `nil` if it was not, or if the reason is unknown.
  var rejection: String? {
    call.rejection.flatMap { $0.isEmpty ? nil : $0.head(bytes: 1024).safeLine() }
  }

  /// The time from start to end.
  var duration: String? { call.duration.map(ElapsedTime.text) }

  /// The number of returned images; `nil` without any.
  var images: String? { call.imageCount > 0 ? call.imageCount.counted("image") : nil }

  /// The result in lines that fit the width.
  func rows(width: Int) -> [StyledText] {
    if let edit = EditDiff(call) { return edit.rows(width: width) }
    return ToolRenderer.of(call).rows(call).map { row in
      var safe = StyledText()
      for piece in row.pieces {
        safe.append(TextBlock.lines(of: piece.text).joined(separator: " "), piece.style)
      }
      return safe.truncated(to: width)
    }
  }
}
