// SPDX-License-Identifier: MIT

import OppiModel

/// Sequences by which a program on a terminal reaches the clipboard and the user.
package enum TerminalCalls {
  /// The most bytes that are copied: many terminals refuse more.
  package static let copyLimit = 74_994

  /// Copies a text to the clipboard (OSC 52); `nil` if it is empty or too long, or has control
  /// characters, which could act when it is pasted.
  package static func copy(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
    }
    guard !bytes.isEmpty, bytes.count <= copyLimit, isPlain else { return nil }
    return Array("\u{1B}]52;c;\(Base64.encode(bytes))\u{07}".utf8)
  }

  /// Rings the bell and shows a notification (OSC 9), which other terminals ignore.
  package static func call(_ text: String) -> [UInt8] {
    Array("\u{1B}]9;\(text.safeLine(limit: 200))\u{07}\u{07}".utf8)
  }
}
