// SPDX-License-Identifier: MIT

/// The model's latest thinking text.
package struct ThinkingState: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8; beyond it, the start is dropped.
  package static let limit = 16 * 1024

  /// The end of the latest thinking text.
  package private(set) var text = ""
  package var isStreaming = false

  package init() {}

  mutating func append(_ delta: String) {
    if !isStreaming { text = "" }
    isStreaming = true
    text += delta.tail(bytes: Self.limit)
    if text.utf8.count > Self.limit { text = text.tail(bytes: Self.limit / 2) }
  }
}
