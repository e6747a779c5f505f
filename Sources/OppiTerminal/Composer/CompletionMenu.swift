// SPDX-License-Identifier: MIT

/// What can replace the text before the cursor of a composer, and the choice among it.
///
/// Completion only edits the text; the owner decides what a key sends.
package struct CompletionMenu: Sendable, Equatable {
  package struct Candidate: Sendable, Equatable {
    /// What replaces the text.
    package let text: String
    /// The name in the menu.
    package let name: String
    package let summary: String

    package init(_ text: String, name: String? = nil, summary: String = "") {
      (self.text, self.name, self.summary) = (text, name ?? text, summary)
    }
  }

  /// Longer names leave no room for the summary.
  private static let nameLimit = 40

  private let candidates: [Candidate]
  /// The index of the candidate that arrows chose.
  private var choice: Int?

  /// `nil` without candidates; what was chosen in the menu before stays chosen.
  package init?(_ candidates: [Candidate], after menu: CompletionMenu? = nil) {
    guard !candidates.isEmpty else { return nil }
    self.candidates = candidates
    choice = menu?.chosen.flatMap(candidates.firstIndex)
  }

  /// The candidate that arrows chose; `nil` before that.
  package var chosen: Candidate? { choice.map { candidates[$0] } }

  /// What Tab takes: the chosen candidate, else the first one.
  package var preferred: Candidate { candidates[choice ?? 0] }

  /// Chooses the next candidate below, or the previous one above; after the last one follows the
  /// first.
  package mutating func move(down isDown: Bool) {
    let count = candidates.count
    choice = choice.map { ($0 + (isDown ? 1 : count - 1)) % count } ?? (isDown ? 0 : count - 1)
  }

  /// At most `limit` rows with the chosen candidate, and how many are hidden.
  package func rows(width: Int, limit: Int) -> [StyledText] {
    let limit = max(1, limit)
    let first = max(0, min((choice ?? 0) - limit / 2, candidates.count - limit))
    let shown = candidates.indices.dropFirst(first).prefix(limit)
    let widest = shown.map { DisplayWidth.of(candidates[$0].name) }.max() ?? 0
    let column = min(widest, Self.nameLimit, max(1, width / 2)) + 4
    var rows = shown.map { row(at: $0, summaryAt: column).truncated(to: width) }
    let hidden = candidates.count - rows.count
    if hidden > 0, let last = rows.popLast() {
      rows.append(last.with(StyledText("  \(hidden) more", .dim)).truncated(to: width))
    }
    return rows
  }

  private func row(at index: Int, summaryAt column: Int) -> StyledText {
    let (candidate, isChosen) = (candidates[index], index == choice)
    let name = StyledText(candidate.name, isChosen ? .name : .code)
    let row = StyledText(isChosen ? "▸ " : "  ", .name).with(name)
    guard !candidate.summary.isEmpty else { return row }
    let gap = max(2, column - DisplayWidth.of(row.plain))
    return row.with(StyledText(String(repeating: " ", count: gap) + candidate.summary, .dim))
  }
}

extension Composer {
  /// The longest text that is completed, in characters.
  private static let completionLimit = 200

  /// The text before the cursor, if the text has one line so far; `nil` if it is long or was pasted
  /// in several lines.
  package var firstLineBeforeCursor: String? {
    let line = textBeforeCursor { $0 != "\n" }
    return line.count == buffer.cursor && !line.isEmpty ? line : nil
  }

  /// The characters before the cursor after the last white space; empty if they are many.
  package var wordBeforeCursor: String { textBeforeCursor { !$0.isWhitespace } }

  private func textBeforeCursor(while isMeant: (Character) -> Bool) -> String {
    let near = buffer.characters[..<buffer.cursor].suffix(Self.completionLimit + 1)
    let start = near.lastIndex { !isMeant($0) || pastes.label(of: $0) != nil }
    let text = near[(start.map { $0 + 1 } ?? near.startIndex)...]
    return text.count > Self.completionLimit ? "" : String(text)
  }
}
