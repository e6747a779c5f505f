// SPDX-License-Identifier: MIT

/// Pasted texts of several lines; in the editor, each is one character that is shown as a
/// placeholder.
///
/// The characters are private ones, which typed and pasted text never contains.
struct PastedTexts: Sendable {
  /// Further texts are inserted as they are.
  private static let limit = 64
  private static let first: UInt32 = 0xF0000

  private var texts: [String] = []

  /// Returns the character that stands for a text; `nil` for a single line.
  mutating func keep(_ text: String) -> Character? {
    guard texts.count < Self.limit, Self.lineCount(text) > 1,
      let mark = Unicode.Scalar(Self.first + UInt32(texts.count))
    else { return nil }
    texts.append(text)
    return Character(mark)
  }

  /// The text of characters, with each placeholder replaced by its text.
  func expanded(_ characters: some Sequence<Character>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in characters.lazy.flatMap(\.unicodeScalars) {
      if let pasted = pasted(scalar) {
        text.append(contentsOf: pasted.unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// What is shown for a character that contains a placeholder.
  func label(of character: Character) -> String? {
    character.unicodeScalars.lazy.compactMap(pasted).first
      .map { "[pasted: \(Self.lineCount($0)) lines]" }
  }

  private func pasted(_ scalar: Unicode.Scalar) -> String? {
    guard scalar.value >= Self.first else { return nil }
    let index = Int(scalar.value - Self.first)
    return texts.indices.contains(index) ? texts[index] : nil
  }

  /// A line break at the end begins no line.
  private static func lineCount(_ text: String) -> Int {
    let breaks = text.utf8.count { $0 == UInt8(ascii: "\n") }
    return text.utf8.last == UInt8(ascii: "\n") ? breaks : breaks + 1
  }
}
