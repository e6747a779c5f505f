// SPDX-License-Identifier: MIT

/// An escape sequence of a key: `ESC [` or `ESC O`, parameters and a final byte.
///
/// The form is that of ECMA-48, section 5.4. The assignment of keys follows the VT220 and xterm,
/// with some sequences of rxvt.
struct KeySequence: Sendable {
  enum Meaning {
    case key(Key)
    case beginsPaste
    /// A function key of the Linux console, which has one more byte after the apparent end.
    case beginsConsoleKey
    case unknown
  }

  /// More than any key has; further parameters make the sequence unknown.
  private static let parameterLimit = 16

  private let isControlSequence: Bool
  private var parameters: [UInt8] = []

  /// Begins a sequence; `introducer` is the byte after ESC.
  init(introducer: UInt8) {
    isControlSequence = introducer == UInt8(ascii: "[")
  }

  mutating func append(_ parameter: UInt8) {
    if parameters.count <= Self.parameterLimit { parameters.append(parameter) }
  }

  func meaning(final: UInt8) -> Meaning {
    guard parameters.count <= Self.parameterLimit, let numbers else { return .unknown }
    let letter = Character(Unicode.Scalar(final))
    switch letter {
    case "[" where isControlSequence && parameters.isEmpty: return .beginsConsoleKey
    case "~" where numbers == [200]: return .beginsPaste
    case "~": return Self.editingKey(numbers).map(Meaning.key) ?? .unknown
    default: return cursorKey(letter, numbers).map(Meaning.key) ?? .unknown
    }
  }

  /// The parameters, at least one, with 0 for an omitted one.
  ///
  /// `nil` if any is not a decimal number, as in responses of a terminal.
  private var numbers: [Int]? {
    let words = String(decoding: parameters, as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false)
    let numbers = words.compactMap { $0.isEmpty ? 0 : Int($0) }
    return numbers.count == words.count ? numbers : nil
  }

  private static func editingKey(_ numbers: [Int]) -> Key? {
    switch numbers[0] {
    case 1, 7: .home
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    // xterm with `modifyOtherKeys`: the third number is the character of the key without modifiers.
    case 27 where numbers.count == 3 && numbers[2] == 13: .newline
    default: nil
    }
  }

  private func cursorKey(_ letter: Character, _ numbers: [Int]) -> Key? {
    switch letter {
    case "A": .up
    case "B": .down
    case "C": movesByWord(numbers) ? .wordRight : .right
    case "D": movesByWord(numbers) ? .wordLeft : .left
    case "I" where isControlSequence && parameters.isEmpty: .focus(true)
    case "O" where isControlSequence && parameters.isEmpty: .focus(false)
    case "H": .home
    case "F": .end
    // With rxvt, lower-case letters are arrow keys with Ctrl.
    case "c" where !isControlSequence: .wordRight
    case "d" where !isControlSequence: .wordLeft
    // Enter on the keypad.
    case "M" where !isControlSequence: .enter
    // The newer encoding of Enter with a modifier: `CSI 13;2u` is Shift-Enter.
    case "u" where numbers.first == 13: numbers.count > 1 && numbers[1] > 1 ? .newline : .enter
    default: nil
    }
  }

  /// Whether Alt or Ctrl is pressed: the second number is 1 plus a mask of Shift 1, Alt 2, Ctrl 4.
  private func movesByWord(_ numbers: [Int]) -> Bool {
    numbers.count > 1 && (numbers[1] - 1) & 0b110 != 0
  }
}
