// SPDX-License-Identifier: MIT

import OppiModel

/// Messages that were not sent, by session; none replaces another.
struct UnsentTexts: Sendable {
  private var texts: [BoardSession.ID: String] = [:]

  subscript(id: BoardSession.ID) -> String? { texts[id] }

  /// Adds a text below those that the session has already.
  mutating func keep(_ text: String, for id: BoardSession.ID) {
    guard !text.isEmpty else { return }
    texts[id] = texts[id].map { "\($0)\n\(text)" } ?? text
  }

  /// Removes and returns the text of a session.
  mutating func take(_ id: BoardSession.ID) -> String? { texts.removeValue(forKey: id) }
}
