// SPDX-License-Identifier: MIT

import OppiText

/// A fenced code block whose lines arrive one by one.
///
/// The fences are not shown, unless they say more than the name of a known language.
struct MarkdownCode: Sendable {
  private let fence: MarkdownLine.Fence
  private let hasFences: Bool
  private var highlighter: Highlighter
  /// The language, until the first row has shown it.
  private var label: String
  /// The number of its lines so far.
  private(set) var lineCount = 0
  /// The columns before its last line: those of lists and quotes, and the indent of the fence.
  private(set) var margin = 0

  /// Begins a block with the line of its fence.
  init(_ fence: MarkdownLine.Fence, _ line: MarkdownLine, in layout: inout MarkdownLayout) {
    let info = fence.info
    let language = Language.named(info)
    self.fence = fence
    hasFences = layout.look.keepsMarks || language == nil && !info.isEmpty
    highlighter = Highlighter(String(info.prefix { !" {,:".contains($0) }))
    // A command that is copied with the rest of its row would get the label as an argument.
    label = hasFences || language?.isOfCommands == true ? "" : info
    if hasFences {
      layout.addFence(line.dropping(indent: fence.indent))
    } else {
      layout.separateCode()
    }
  }

  /// Adds a line; returns false if it ends the block.
  mutating func take(_ line: MarkdownLine, in layout: inout MarkdownLayout) -> Bool {
    if line.closes(fence) {
      if hasFences { layout.addFence(line.dropping(indent: line.indent)) }
      return false
    }
    let code = line.dropping(indent: fence.indent)
    (lineCount, margin) = (lineCount + 1, code.bytes.startIndex)
    takeRest(code, in: &layout)
    return true
  }

  /// Adds a line, or a part of a long one, as it is.
  mutating func takeRest(_ line: MarkdownLine, in layout: inout MarkdownLayout) {
    layout.addCode(layout.isSilent ? StyledText() : highlighter.spans(of: line.text), label: label)
    label = ""
  }
}
