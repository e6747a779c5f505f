// SPDX-License-Identifier: MIT

package import OppiModel

/// The files that the calls of a conversation changed.
package enum ChangedFiles {
  private static let tools: Set = ["edit", "write"]

  /// Returns a heading and one row for each file, in the order of the first change; nothing if no
  /// file was changed.
  ///
  /// Only calls that succeeded count, so that a proposed change is not listed.
  package static func rows(of turns: [PastTurn], width: Int) -> [StyledText] {
    var order: [String] = []
    var changes: [String: (added: Int, removed: Int)] = [:]
    for call in turns.flatMap(\.calls).map(\.activity)
    where tools.contains(call.tool) && call.state == .succeeded {
      guard let path = call.arguments["path"].string?.safeLine(limit: 400), !path.isEmpty else {
        continue
      }
      if changes[path] == nil { order.append(path) }
      var change = changes[path] ?? (0, 0)
      change.added += call.lineChange?.added ?? 0
      change.removed += call.lineChange?.removed ?? 0
      changes[path] = change
    }
    guard !order.isEmpty else { return [] }
    let rows = order.map { path in
      var row = StyledText("  \(path)")
      if let change = changes[path], change.added + change.removed > 0 {
        row.append("  +\(change.added) -\(change.removed)", .dim)
      }
      return row.truncated(to: width)
    }
    return [StyledText(order.count.counted("changed file"), .heading)] + rows
  }
}
