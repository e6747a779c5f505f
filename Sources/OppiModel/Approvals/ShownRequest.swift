// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

/// A part of a tool call as shown for a decision.
package struct RequestPart: Sendable, Equatable {
  package enum Kind: Sendable {
    case given
    /// Text that an edit removes.
    case removed
    /// Text that an edit adds.
    case added

    /// The prefix of each line of the part.
    package var mark: String {
      switch self {
      case .given: ""
      case .removed: "- "
      case .added: "+ "
      }
    }
  }

  /// The name of the part; `nil` for the main part.
  package var label: String?
  /// The server's own text, in full and not made safe to show.
  package var text: String
  package var kind = Kind.given

  /// Returns all parts of a call's input; no part of the input is left out.
  package static func all(of input: JSONValue, to tool: String) -> [RequestPart] {
    switch tool {
    case "bash", "run_bash", "shell": all(of: input, leading: ["command"])
    case "write": all(of: input, leading: ["path", "content"])
    case "edit": edit(input)
    default: all(of: input)
    }
  }

  /// All members of an input: the `leading` ones first, then the others sorted by name.
  ///
  /// The first leading member has no label.
  private static func all(of input: JSONValue, leading: [String] = []) -> [RequestPart] {
    guard let members = input.object else {
      return input == .null ? [] : [RequestPart(text: input.ownText)]
    }
    let first = leading.compactMap { name in members[name].map { (key: name, value: $0) } }
    let others = members.filter { !leading.contains($0.key) }.sorted { $0.key < $1.key }
    return (first + others).map { name, value in
      RequestPart(label: name == leading.first ? nil : name, text: value.ownText)
    }
  }

  /// The path, and the old and new text of each edit.
  private static func edit(_ input: JSONValue) -> [RequestPart] {
    var parts: [RequestPart] = []
    for part in all(of: input, leading: ["path", "edits", "oldText", "newText"]) {
      switch part.label {
      case "oldText": parts.append(RequestPart(text: part.text, kind: .removed))
      case "newText": parts.append(RequestPart(text: part.text, kind: .added))
      case "edits": parts += input["edits"].array.map { $0.flatMap(edit) } ?? [part]
      default: parts.append(part)
      }
    }
    return parts
  }
}

extension PermissionRequest {
  /// All parts of the call; the server's summary if it has no input.
  package var parts: [RequestPart] {
    let parts = RequestPart.all(of: input, to: tool)
    return parts.isEmpty ? [RequestPart(text: summary)] : parts
  }

  /// The whole call in lines of any length, safe to show.
  package var lines: [String] {
    parts.flatMap { part in
      let label = part.label.map { "\(RevealedText($0).line):" }
      return [label].compactMap(\.self) + RevealedText(part.text).plain.map { part.kind.mark + $0 }
    }
  }

  /// The number of invisible characters in the request, which are shown as escapes.
  package var hiddenCount: Int {
    parts.reduce(RevealedText(tool).escapeCount) { count, part in
      count + RevealedText(part.text).escapeCount + RevealedText(part.label ?? "").escapeCount
    }
  }

  private static let lineLimit = 2000

  /// The whole call on one line; a long one is cut, with the number of missing characters.
  package var line: String {
    let text = parts.map { part in
      (part.label.map { "\(RevealedText($0).line): " } ?? "") + RevealedText(part.text).line
    }
    .sentence()
    let missing = text.count - Self.lineLimit
    return missing > 0 ? "\(text.prefix(Self.lineLimit))… (\(missing) more characters)" : text
  }
}

/// The rows of a request: which are visible, and which have been on the screen in the present size.
///
/// Every panel that takes a decision uses it: whatever lets the agent continue needs the whole text,
/// choices included, to have been on the screen. Another text needs a new value.
package struct ShownRows: Sendable, Equatable {
  /// Narrower rows cannot be read, and beside their margin a wide character may not fit.
  private static let leastColumns = 8

  private var columns = 0
  private var rows = 0
  package private(set) var count = 0
  package private(set) var visible = 0..<0
  private var room = 0
  /// The rows that were not yet on the screen.
  private var unseen = RangeSet<Int>()
  private var isFitted = false

  package init() {}

  /// Whether every row has been on the screen.
  package var isWhole: Bool { count > 0 && unseen.isEmpty }

  /// Takes the size of the panel; in another size every row must be shown again.
  ///
  /// Returns whether rows that were never shown may appear now, so that keys need a new pause.
  package mutating func resize(columns: Int, rows: Int) -> Bool {
    guard (columns, rows) != (self.columns, self.rows) else { return false }
    let isSurprising = isFitted && !isWhole
    (self.columns, self.rows, count) = (columns, rows, 0)
    return isSurprising
  }

  /// Lays out a text of `count` rows, `room` of which fit in the size.
  ///
  /// `widest` is the number of columns of the widest row in any terminal. If it exceeds the size, a
  /// terminal may cut the row, so that no row is shown.
  package mutating func fit(_ count: Int, widest: Int, room: Int) {
    if count != self.count { unseen = RangeSet(0..<count) }
    (self.count, isFitted) = (count, true)
    self.room = columns < max(Self.leastColumns, widest) ? 0 : max(0, room)
    scroll(by: 0)
  }

  package mutating func scroll(by rows: Int) {
    let first = min(max(0, visible.lowerBound + rows), max(0, count - room))
    visible = first..<min(count, first + room)
  }

  /// Scrolls by pages that overlap by a row.
  package mutating func scroll(byPages pages: Int) { scroll(by: pages * max(1, room - 1)) }

  /// Scrolls as little as possible to show a part.
  package mutating func reveal(_ part: Range<Int>) {
    let first = max(min(visible.lowerBound, part.lowerBound), part.upperBound - room)
    scroll(by: first - visible.lowerBound)
  }

  /// Records that the visible rows were on the screen.
  package mutating func wasShown() { unseen.remove(contentsOf: visible) }

  /// Records that the whole text was printed in rows of at most `columns`, and stays on the
  /// terminal.
  package mutating func wasPrinted(columns: Int) {
    guard columns >= Self.leastColumns else { return }
    (count, unseen) = (max(1, count), RangeSet())
  }

  // MARK: - What is left

  /// The rows that neither were on the screen nor are visible now.
  private var hidden: RangeSet<Int> {
    var hidden = unseen
    hidden.remove(contentsOf: visible)
    return hidden
  }

  package var hiddenCount: Int { hidden.ranges.reduce(0) { $0 + $1.count } }

  /// Whether a row that was never shown is further down.
  package var hasHiddenBelow: Bool {
    hidden.ranges.last.map { $0.lowerBound >= visible.upperBound } ?? false
  }
}
