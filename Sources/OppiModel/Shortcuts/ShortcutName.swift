// SPDX-License-Identifier: MIT

/// The name of a shortcut, also used as a file name and in triggers.
package struct ShortcutName: Sendable, Hashable, Comparable {
  /// The maximum number of characters.
  package static let lengthLimit = 64

  package let text: String

  /// Accepts up to 64 letters, digits and `_-.`, beginning with a letter or a digit, else `nil`.
  package init?(_ text: String) {
    guard (1...Self.lengthLimit).contains(text.utf8.count), OutboxKey(text) != nil,
      !text.contains(where: { ":@+".contains($0) })
    else { return nil }
    self.text = text
  }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
