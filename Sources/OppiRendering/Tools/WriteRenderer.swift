// SPDX-License-Identifier: MIT

import OppiModel

/// File writes: the path, the number of lines, and the first lines.
enum WriteRenderer: ToolRenderer {
  static let tools: Set = ["write"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added))" } ?? path
  }

  private static let rowLimit = 6

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded else { return failure(of: call) }
    let content = call.arguments["content"].string ?? ""
    let lines = TextBlock.lines(of: content.head(bytes: rowLimit * 1024))
    let rows = lines.prefix(rowLimit).map { StyledText($0, .dim) }
    let hidden = (call.lineChange?.added ?? lines.count) - rows.count
    guard hidden > 0 else { return rows }
    return rows + [StyledText("… \(hidden.counted("more line"))", .dim)]
  }
}
