// SPDX-License-Identifier: MIT

import OppiText

package enum Key: Sendable, Equatable {
  /// Typed printable characters.
  case text(String)
  /// Pasted text: printable characters, line feeds and tabs.
  case paste(String)
  case enter
  /// Alt-Enter or Ctrl-J: inserts a line break.
  case newline
  case backspace
  case delete
  case left
  case right
  case up
  case down
  case home
  case end
  case wordLeft
  case wordRight
  case pageUp
  case pageDown
  case tab
  case escape
  /// Alt-D: deletes the word after the cursor.
  case deleteWord
  /// Ctrl-_; many terminals send it for Ctrl-/ as well.
  case undo
  /// The window of the terminal got or lost the focus, if it reports that.
  case focus(Bool)
  /// Ctrl with a letter from `a` to `z` that no other case represents.
  case control(Character)
}

/// Decodes the bytes of a terminal in raw mode into keys, however they are split into reads.
///
/// Unknown sequences are discarded completely, so that the rest of an unknown key or of a
/// terminal's response never becomes text. The form of sequences is that of ECMA-48, section 5.4.
/// The assignment of keys follows the VT220 and xterm, with some sequences of rxvt.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case text
    case escape
    /// The sequence of a key after `ESC [` or, unless `isControl`, after `ESC O`.
    case sequence(parameters: [UInt8], isControl: Bool)
    /// One more byte of a function key of the Linux console follows.
    case consoleKey
    /// The rest of a non-ASCII character typed with Alt.
    case altCharacter
    /// A string in a terminal's response (OSC, DCS, SOS, PM, APC).
    case string
    case paste

    /// Whether a byte cannot continue the current sequence, and is therefore a key or text.
    func isCutOff(by byte: UInt8) -> Bool {
      switch self {
      case .text: true
      case .sequence: byte < 0x20 || byte > 0x7E
      case .consoleKey: byte < 0x20
      case .altCharacter: !(0x80...0xBF).contains(byte)
      case .string: byte < 0x20 && byte != KeyDecoder.bell
      case .escape, .paste: false
      }
    }
  }

  private static let escape: UInt8 = 0x1B
  /// Ends a string, like the sequence `ESC \`.
  private static let bell: UInt8 = 0x07
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// More than any key has; further parameters make the sequence unknown.
  private static let parameterLimit = 16

  private let pasteLimit: Int
  private var state = State.text
  private var keys: [Key] = []
  /// Typed bytes that are not yet keys: the last character may be incomplete.
  private var typed: [UInt8] = []
  private var pasted: [UInt8] = []
  /// The number of matched bytes of ``pasteEnd``.
  private var matched = 0

  /// `pasteLimit` is the maximum size of a paste in bytes; the rest is discarded.
  package init(pasteLimit: Int = 1 << 20) {
    self.pasteLimit = pasteLimit
  }

  /// Whether an escape sequence is incomplete; call ``flush()`` after about 50 ms without bytes.
  package var isPending: Bool {
    switch state {
    case .text, .paste: false
    case .escape, .sequence, .consoleKey, .altCharacter, .string: true
    }
  }

  package mutating func decode(_ bytes: some Collection<UInt8>) -> [Key] {
    for byte in bytes { decode(byte) }
    endText(keeping: unfinishedCount)
    defer { keys = [] }
    return keys
  }

  /// Ends an incomplete sequence: a lone ESC is the escape key, anything else is discarded.
  ///
  /// A paste continues, however slow it is: its lines must never be treated as typed.
  package mutating func flush() -> [Key] {
    guard isPending else { return [] }
    defer { state = .text }
    if case .escape = state { return [.escape] }
    return []
  }

  private mutating func decode(_ byte: UInt8) {
    switch state {
    case .paste: paste(byte)
    case .escape where byte == Self.escape: keys.append(.escape)
    case _ where byte == Self.escape:
      endText()
      state = .escape
    case _ where state.isCutOff(by: byte):
      state = .text
      type(byte)
    case .escape: endEscape(byte)
    case .sequence(let parameters, let isControl): resume(parameters, byte, isControl: isControl)
    case .string where byte != Self.bell: break
    case .consoleKey, .string: state = .text
    case .text, .altCharacter: break
    }
  }

  // MARK: - Typed text

  private mutating func type(_ byte: UInt8) {
    let key: Key? =
      switch byte {
      case 0x08, 0x7F: .backspace
      case 0x09: .tab
      case 0x0A: .newline
      case 0x0D: .enter
      case 0x1F: .undo
      case 0x01...0x1A: .control(Character(Unicode.Scalar(byte | 0x60)))
      default: nil
      }
    guard byte < 0x20 || byte == 0x7F else { return typed.append(byte) }
    endText()
    if let key { keys.append(key) }
  }

  /// Takes the typed bytes, except the last ones if they are to be kept.
  private mutating func endText(keeping unfinished: Int = 0) {
    let count = typed.count - unfinished
    guard count > 0 else { return }
    let scalars = String(decoding: typed[..<count], as: UTF8.self).unicodeScalars
    typed.removeFirst(count)
    let text = String(String.UnicodeScalarView(scalars.filter(\.isTypeable)))
    if !text.isEmpty { keys.append(.text(text)) }
  }

  /// The number of bytes at the end that begin an incomplete character (RFC 3629, section 4).
  private var unfinishedCount: Int {
    guard let first = typed.suffix(3).lastIndex(where: { !(0x80...0xBF).contains($0) }) else {
      return 0
    }
    let count = typed.count - first
    let length =
      switch typed[first] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return count < length ? count : 0
  }

  /// Adds a byte of a paste, whose text is as ``EditBuffer`` accepts it.
  private mutating func paste(_ byte: UInt8) {
    // The first byte of the mark occurs only once in it, so a match can only restart at this byte.
    if byte != Self.pasteEnd[matched] {
      pasted += Self.pasteEnd[..<matched].prefix(pasteLimit - pasted.count)
      matched = 0
    }
    if byte == Self.pasteEnd[matched] {
      matched += 1
    } else if pasted.count < pasteLimit {
      pasted.append(byte)
    }
    guard matched == Self.pasteEnd.count else { return }
    let text = String(decoding: pasted, as: UTF8.self).editable()
    if !text.isEmpty { keys.append(.paste(text)) }
    (state, pasted, matched) = (.text, [], 0)
  }

  // MARK: - Sequences

  private mutating func endEscape(_ byte: UInt8) {
    state = .text
    switch Character(Unicode.Scalar(byte)) {
    case "[", "O": state = .sequence(parameters: [], isControl: byte == UInt8(ascii: "["))
    case "]", "P", "X", "^", "_": state = .string
    case "\u{80}"..."\u{FF}": state = .altCharacter
    case "\n", "\r": keys.append(.newline)
    case "\u{08}", "\u{7F}": keys.append(.control("w"))
    case "b": keys.append(.wordLeft)
    case "d": keys.append(.deleteWord)
    case "f": keys.append(.wordRight)
    default: break
    }
  }

  private mutating func resume(_ parameters: [UInt8], _ byte: UInt8, isControl: Bool) {
    let isKnown = parameters.count <= Self.parameterLimit
    guard byte >= 0x40 else {
      if isKnown { state = .sequence(parameters: parameters + [byte], isControl: isControl) }
      return
    }
    state = .text
    guard isKnown, let numbers = Self.numbers(in: parameters) else { return }
    let final = Character(Unicode.Scalar(byte))
    let isBare = isControl && parameters.isEmpty
    switch final {
    case "[" where isBare: state = .consoleKey
    case "~" where numbers == [200]: state = .paste
    case "I" where isBare: keys.append(.focus(true))
    case "O" where isBare: keys.append(.focus(false))
    default: if let key = Self.key(numbers, final, isControl: isControl) { keys.append(key) }
    }
  }

  /// The parameters, at least one, with 0 for an omitted one.
  ///
  /// `nil` if any is not a decimal number, as in responses of a terminal.
  private static func numbers(in parameters: [UInt8]) -> [Int]? {
    let words = String(decoding: parameters, as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false)
    let numbers = words.compactMap { $0.isEmpty ? 0 : Int($0) }
    return numbers.count == words.count ? numbers : nil
  }

  private static func key(_ numbers: [Int], _ final: Character, isControl: Bool) -> Key? {
    // Whether Alt or Ctrl is pressed: the second number is 1 plus a mask of Shift 1, Alt 2, Ctrl 4.
    let movesByWord = numbers.count > 1 && (numbers[1] - 1) & 0b110 != 0
    return switch (final, numbers[0]) {
    case ("A", _): .up
    case ("B", _): .down
    case ("C", _): movesByWord ? .wordRight : .right
    case ("D", _): movesByWord ? .wordLeft : .left
    case ("H", _), ("~", 1), ("~", 7): .home
    case ("F", _), ("~", 4), ("~", 8): .end
    case ("~", 3): .delete
    case ("~", 5): .pageUp
    case ("~", 6): .pageDown
    // With rxvt, lower-case letters are arrow keys with Ctrl.
    case ("c", _) where !isControl: .wordRight
    case ("d", _) where !isControl: .wordLeft
    // Enter on the keypad.
    case ("M", _) where !isControl: .enter
    // The newer encoding of Enter with a modifier: `CSI 13;2u` is Shift-Enter.
    case ("u", 13): numbers.count > 1 && numbers[1] > 1 ? .newline : .enter
    // xterm with `modifyOtherKeys`: the third number is the character of the key without modifiers.
    case ("~", 27) where numbers.count == 3 && numbers[2] == 13: .newline
    default: nil
    }
  }
}
