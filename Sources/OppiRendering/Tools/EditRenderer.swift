// SPDX-License-Identifier: MIT

import OppiModel

/// File edits: the path, the number of changed lines, and the lines.
enum EditRenderer: ToolRenderer {
  static let tools: Set = ["edit"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added) -\($0.removed))" } ?? path
  }

  private static let rowLimit = 20
  private static let context = 2
  /// Longer texts are not kept in full.
  private static let textLimit = 24 << 10

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded else { return failure(of: call) }
    let edits = texts(in: call.arguments)
    let size = edits.reduce(0) { $0 + $1.old.utf8.count + $1.new.utf8.count }
    guard size <= textLimit else { return [StyledText("too long to show", .dim)] }
    let differences = edits.map { LineDiff(from: $0.old, to: $0.new).rows(context: context) }
    let rows = Array(differences.joined(separator: [StyledText("…", .dim)]))
    guard rows.count > rowLimit else { return rows }
    let hidden = StyledText("… \(rows.count - rowLimit + 1) more lines", .dim)
    return rows.prefix(rowLimit - 1) + [hidden]
  }

  private static func texts(in arguments: JSONValue) -> [(old: String, new: String)] {
    (arguments["edits"].array ?? [arguments]).compactMap { edit in
      guard let old = edit["oldText"].string, let new = edit["newText"].string else { return nil }
      return (old, new)
    }
  }
}
