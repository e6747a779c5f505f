// SPDX-License-Identifier: MIT

package import OppiModel
import OppiTerminal
import OppiText

/// The change that an `edit` call made, line by line.
struct EditDiff {
  private static let rowLimit = 20
  private static let context = 2
  /// The number of bytes of a change that is shown; longer texts are not kept in full.
  private static let limit = 24 << 10

  private let call: ToolCallActivity

  /// `nil` for other calls, and those that changed nothing.
  init?(_ call: ToolCallActivity) {
    guard call.tool == "edit", call.state == .succeeded else { return nil }
    self.call = call
  }

  /// The lines near the changes, with the numbers that the server reported.
  func rows(width: Int) -> [StyledText] {
    guard let diff = reported ?? replaced else { return [StyledText("too long to show", .dim)] }
    return diff.near(Self.context).rows(width: width, limit: Self.rowLimit)
  }

  /// What the server reports, if it has the numbers of all lines.
  private var reported: DiffRows? {
    guard let text = call.details["diff"].string, text.utf8.count <= Self.limit else { return nil }
    return DiffRows(numbered: text)
  }

  /// What the call replaces; `nil` if it is too long.
  private var replaced: DiffRows? {
    let edits = LineChange.edits(in: call.arguments)
    guard edits.reduce(0, { $0 + $1.old.utf8.count + $1.new.utf8.count }) <= Self.limit else {
      return nil
    }
    // The number of the first changed line says nothing about other edits.
    let number = edits.count == 1 ? call.details["firstChangedLine"].int : nil
    let diffs = edits.map { DiffRows(LineDiff(from: $0.old, to: $0.new), firstChange: number) }
    return DiffRows(joining: diffs)
  }
}

extension [Turn] {
  /// The last call that changed a file; `nil` if there is none.
  package var lastEdit: ToolCallActivity? {
    lazy.reversed().compactMap { turn in
      turn.calls.last { ["edit", "write"].contains($0.tool) && $0.state == .succeeded }
    }
    .first
  }
}
