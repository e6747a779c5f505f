// SPDX-License-Identifier: MIT

import OppiModel

/// A search for the latest earlier message that holds a text, as Ctrl-R does in shells.
package struct HistorySearch: Sendable {
  private let messages: [String]
  /// What was written before the search.
  let draft: EditBuffer
  /// What is looked for, upper and lower case alike.
  package private(set) var pattern = ""
  /// The message that is found; past the last one while there is none.
  private var position: Int

  init(in messages: [String], leaving draft: EditBuffer) {
    self.messages = messages
    self.draft = draft
    position = messages.count
  }

  /// The message that holds the text; `nil` where nothing is looked for or found.
  package var match: String? { messages.indices.contains(position) ? messages[position] : nil }

  mutating func extend(by text: String) {
    pattern += text.safeLine(limit: 200)
    find(before: min(messages.count, position + 1))
  }

  mutating func shorten() {
    pattern = String(pattern.dropLast())
    find(before: messages.count)
  }

  /// Goes on to the next older message that holds the text.
  mutating func goOn() {
    guard let older = index(before: position) else { return }
    position = older
  }

  private mutating func find(before end: Int) {
    position = index(before: end) ?? messages.count
  }

  private func index(before end: Int) -> Int? {
    let wanted = pattern.lowercased()
    guard !wanted.isEmpty else { return nil }
    return messages[..<min(end, messages.count)].lastIndex { $0.lowercased().contains(wanted) }
  }
}
