// SPDX-License-Identifier: MIT

import OppiModel

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
/// terminal's response never becomes text.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case text
    case escape
    case sequence(KeySequence)
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

  private var state = State.text
  private var text = TypedText()
  private var pasted = PasteDecoder()

  package init() {}

  /// Whether an escape sequence is incomplete; call ``flush()`` after about 50 ms without bytes.
  package var isPending: Bool {
    switch state {
    case .text, .paste: false
    case .escape, .sequence, .consoleKey, .altCharacter, .string: true
    }
  }

  package mutating func decode(_ bytes: some Collection<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { decode(byte, into: &keys) }
    keys += text.takeFinished()
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

  private mutating func decode(_ byte: UInt8, into keys: inout [Key]) {
    switch state {
    case .paste: paste(byte, into: &keys)
    case .escape where byte == Self.escape: keys.append(.escape)
    case _ where byte == Self.escape:
      keys += text.takeAll()
      state = .escape
    case _ where state.isCutOff(by: byte):
      state = .text
      type(byte, into: &keys)
    case .escape: endEscape(byte, into: &keys)
    case .sequence(let sequence): resume(sequence, byte, into: &keys)
    case .string where byte != Self.bell: break
    case .consoleKey, .string: state = .text
    case .text, .altCharacter: break
    }
  }

  private mutating func type(_ byte: UInt8, into keys: inout [Key]) {
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
    guard byte < 0x20 || byte == 0x7F else { return text.append(byte) }
    keys += text.takeAll()
    if let key { keys.append(key) }
  }

  private mutating func endEscape(_ byte: UInt8, into keys: inout [Key]) {
    state = .text
    switch Character(Unicode.Scalar(byte)) {
    case "[", "O": state = .sequence(KeySequence(introducer: byte))
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

  private mutating func resume(_ sequence: KeySequence, _ byte: UInt8, into keys: inout [Key]) {
    guard byte >= 0x40 else {
      var sequence = sequence
      sequence.append(byte)
      state = .sequence(sequence)
      return
    }
    state = .text
    switch sequence.meaning(final: byte) {
    case .key(let key): keys.append(key)
    case .beginsPaste: state = .paste
    case .beginsConsoleKey: state = .consoleKey
    case .unknown: break
    }
  }

  private mutating func paste(_ byte: UInt8, into keys: inout [Key]) {
    guard pasted.append(byte) else { return }
    let text = pasted.text
    if !text.isEmpty { keys.append(.paste(text)) }
    state = .text
    pasted = PasteDecoder()
  }
}

/// Collects the bytes of a bracketed paste.
struct PasteDecoder: Sendable {
  private static let end = Array("\u{1B}[201~".utf8)

  private let limit: Int
  private var bytes: [UInt8] = []
  /// The number of matched bytes of the end mark.
  private var matched = 0

  /// Starts after the start mark; bytes beyond the limit are discarded.
  init(limit: Int = 1 << 20) {
    self.limit = limit
  }

  /// Processes the next byte; returns true if it completes the end mark.
  mutating func append(_ byte: UInt8) -> Bool {
    if byte != Self.end[matched] {
      for byte in Self.end[..<matched] { keep(byte) }
      matched = 0
    }
    // The first byte of the mark occurs only once in it, so a match can only restart at this byte.
    if byte == Self.end[matched] { matched += 1 } else { keep(byte) }
    return matched == Self.end.count
  }

  /// The pasted text as ``EditBuffer`` accepts it.
  var text: String { String(decoding: bytes, as: UTF8.self).editable() }

  private mutating func keep(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) }
  }
}

/// Typed bytes that are not yet keys: the last character may be incomplete.
struct TypedText: Sendable {
  private var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Takes the complete characters and keeps an incomplete one.
  mutating func takeFinished() -> [Key] { take(bytes.count - unfinishedCount) }

  /// Takes all bytes, including an incomplete character.
  mutating func takeAll() -> [Key] { take(bytes.count) }

  private mutating func take(_ count: Int) -> [Key] {
    guard count > 0 else { return [] }
    let scalars = String(decoding: bytes[..<count], as: UTF8.self).unicodeScalars
    bytes.removeFirst(count)
    let text = String(String.UnicodeScalarView(scalars.filter(\.isTypeable)))
    return text.isEmpty ? [] : [.text(text)]
  }

  /// The number of bytes at the end that begin an incomplete character (RFC 3629, section 4).
  private var unfinishedCount: Int {
    guard let first = bytes.suffix(3).lastIndex(where: { !(0x80...0xBF).contains($0) }) else {
      return 0
    }
    let count = bytes.count - first
    let length =
      switch bytes[first] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return count < length ? count : 0
  }
}
