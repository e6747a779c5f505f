// SPDX-License-Identifier: MIT

/// What the model is thinking.
package struct ThinkingState: Sendable, Equatable {
  /// The most bytes of UTF-8 that ``text`` may reach before its start is dropped.
  package static let limit = 16 * 1024

  /// The end of the latest thought.
  package private(set) var text = ""
  /// Whether the thought goes on.
  package var isStreaming = false

  package init() {}

  mutating func append(_ delta: String) {
    if !isStreaming { text = "" }
    isStreaming = true
    text += delta.tail(bytes: Self.limit)
    if text.utf8.count > Self.limit { text = text.tail(bytes: Self.limit / 2) }
  }
}
