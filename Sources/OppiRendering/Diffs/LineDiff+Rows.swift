// SPDX-License-Identifier: MIT

extension LineDiff {
  /// Returns the different lines with some common lines around them.
  ///
  /// Lines begin with `+ `, `- ` or two spaces; `…` replaces omitted common lines between them.
  package func rows(context: Int) -> [StyledText] {
    let isShown = shown(context: context)
    var rows: [StyledText] = []
    for (index, line) in lines.enumerated() {
      if isShown[index] {
        rows.append(Self.row(of: line))
      } else if index > 0, isShown[index - 1], isShown[index...].contains(true) {
        rows.append(StyledText("…", .dim))
      }
    }
    return rows
  }

  /// Whether each line differs or is near a line that differs.
  private func shown(context: Int) -> [Bool] {
    var isShown = lines.map { !$0.isCommon }
    func show(_ indices: some Sequence<Int>) {
      var left = 0
      for index in indices {
        if !lines[index].isCommon {
          left = context
        } else if left > 0 {
          isShown[index] = true
          left -= 1
        }
      }
    }
    show(lines.indices)
    show(lines.indices.reversed())
    // A text that ends with a line feed has an empty last line, which is not shown.
    if lines.last == .common("") { isShown[lines.count - 1] = false }
    return isShown
  }

  private static func row(of line: Line) -> StyledText {
    switch line {
    case .common(let text): StyledText("  \(text)", .dim)
    case .removed(let text): StyledText("- \(text)", .removed)
    case .added(let text): StyledText("+ \(text)", .added)
    }
  }
}

extension LineDiff.Line {
  fileprivate var isCommon: Bool {
    if case .common = self { true } else { false }
  }
}
