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
  /// A key with modifiers that no other case represents, such as Shift-Tab, Ctrl-Up and Alt-X, which
  /// is the text `x` with Alt.
  indirect case modified(Key, Modifiers)

  /// The raw values are those of xterm.
  package struct Modifiers: OptionSet, Sendable {
    package let rawValue: Int
    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The modifiers in the second number of a sequence, which is 1 plus their mask; none if it is
    /// omitted, and `nil` if there is another one.
    fileprivate init?(in numbers: [Int]) {
      let mask = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
      guard mask < 8 else { return nil }
      self.init(rawValue: mask)
    }
  }
}

/// Decodes the bytes of a terminal in raw mode, however they are split into reads.
///
/// Unknown sequences are discarded completely, so that the rest of an unknown key or of a
/// terminal's response never becomes text. The form of sequences is that of ECMA-48, section 5.4.
/// The assignment of keys follows the VT220 and xterm, with some sequences of rxvt.
package struct KeyDecoder: Sendable {
  /// What a terminal sends.
  package enum Event: Sendable, Equatable {
    case key(Key)
    case mouse(MouseEvent)
    /// An answer to ``Background/question``, its first part.
    case background(Background)
    /// The answer to its second part.
    case attributes
    /// The answer to the question for the status of the terminal (DSR 5).
    case status
  }

  private enum State: Sendable {
    case text
    case escape
    /// The sequence of a key after `ESC [` or, unless `isControl`, after `ESC O`.
    case sequence(parameters: [UInt8], isControl: Bool)
    /// One more byte of a function key of the Linux console follows.
    case consoleKey
    /// The rest of a non-ASCII character typed with Alt.
    case altCharacter
    /// A string in a terminal's response (OSC, DCS, SOS, PM, APC); the text of an OSC unless it is
    /// longer than any that has a meaning.
    case string(text: [UInt8]?)
    /// A backslash would end the string.
    case stringEnd(text: [UInt8]?)
    case paste

    /// Whether a byte cannot continue the current sequence, and is therefore a key or text.
    func isCutOff(by byte: UInt8) -> Bool {
      switch self {
      case .text: true
      case .sequence: byte < 0x20 || byte > 0x7E
      case .consoleKey: byte < 0x20
      case .altCharacter: !(0x80...0xBF).contains(byte)
      case .string: byte < 0x20 && byte != KeyDecoder.bell
      case .escape, .stringEnd, .paste: false
      }
    }

    /// Whether a report or an answer of the terminal has begun, and not a key.
    ///
    /// Its rest may come late, and must not become text.
    var isReport: Bool {
      switch self {
      // A private sequence (ECMA-48, section 5.4.1), or the status, the only one that begins with 0.
      case .sequence(let parameters, _): parameters.first.map { $0 >= 0x3C || $0 == 0x30 } ?? false
      case .string(let text?), .stringEnd(let text?): Background.mayBegin(with: text)
      default: false
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
  private var events: [Event] = []
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
    case .escape, .sequence, .consoleKey, .altCharacter, .string, .stringEnd: !state.isReport
    }
  }

  /// Whether the start of a sequence may be that of an answer of the terminal, which goes on with a
  /// byte: the Escape key begins alike.
  package func mayHaveAnswer(before byte: UInt8) -> Bool {
    switch state {
    case .escape: byte == UInt8(ascii: "[")
    case .sequence(let parameters, isControl: true):
      parameters.isEmpty && (byte == UInt8(ascii: "0") || byte == UInt8(ascii: "?"))
    default: false
    }
  }

  package mutating func decode(_ bytes: some Collection<UInt8>) -> [Event] {
    for byte in bytes { decode(byte) }
    endText(keeping: unfinishedCount)
    defer { events = [] }
    return events
  }

  /// Ends an incomplete sequence: a lone ESC is the escape key, anything else is discarded.
  ///
  /// A paste and a report continue, however slow they are: they must never be treated as typed.
  package mutating func flush() -> [Event] {
    guard isPending else { return [] }
    defer { state = .text }
    switch state {
    case .escape, .stringEnd: return [.key(.escape)]
    default: return []
    }
  }

  private mutating func press(_ key: Key) { events.append(.key(key)) }

  private mutating func decode(_ byte: UInt8) {
    switch state {
    case .paste: paste(byte)
    case .escape where byte == Self.escape: press(.escape)
    case .string(let text) where byte == Self.escape: state = .stringEnd(text: text)
    case .stringEnd(let text) where byte == UInt8(ascii: "\\"): endString(text)
    case .stringEnd:
      state = .escape
      decode(byte)
    case _ where byte == Self.escape:
      endText()
      state = .escape
    case _ where state.isCutOff(by: byte):
      state = .text
      type(byte)
    case .escape: endEscape(byte)
    case .sequence(let parameters, let isControl): resume(parameters, byte, isControl: isControl)
    case .string(let text) where byte == Self.bell: endString(text)
    case .string(let text): resumeString(text, byte)
    case .consoleKey: state = .text
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
    if let key { press(key) }
  }

  /// Takes the typed bytes, except the last ones if they are to be kept.
  private mutating func endText(keeping unfinished: Int = 0) {
    let count = typed.count - unfinished
    guard count > 0 else { return }
    let scalars = String(decoding: typed[..<count], as: UTF8.self).unicodeScalars
    typed.removeFirst(count)
    let text = String(String.UnicodeScalarView(scalars.filter(\.isTypeable)))
    if !text.isEmpty { press(.text(text)) }
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
    if !text.isEmpty { press(.paste(text)) }
    (state, pasted, matched) = (.text, [], 0)
  }

  // MARK: - Sequences

  private mutating func endEscape(_ byte: UInt8) {
    state = .text
    switch Character(Unicode.Scalar(byte)) {
    case "[", "O": state = .sequence(parameters: [], isControl: byte == UInt8(ascii: "["))
    case "]": state = .string(text: [])
    case "P", "X", "^", "_": state = .string(text: nil)
    case "\u{80}"..."\u{FF}": state = .altCharacter
    case "\n", "\r": press(.newline)
    case "\u{08}", "\u{7F}": press(.control("w"))
    case "b": press(.wordLeft)
    case "d": press(.deleteWord)
    case "f": press(.wordRight)
    case "a"..."z", "0"..."9":
      press(.modified(.text(String(Character(Unicode.Scalar(byte)))), .alt))
    default: break
    }
  }

  private mutating func resumeString(_ text: [UInt8]?, _ byte: UInt8) {
    let isShort = text.map { $0.count < Background.answerLimit } ?? false
    state = .string(text: isShort ? text.map { $0 + [byte] } : nil)
  }

  private mutating func endString(_ text: [UInt8]?) {
    state = .text
    if let background = text.flatMap(Background.init(answer:)) {
      events.append(.background(background))
    }
  }

  private mutating func resume(_ parameters: [UInt8], _ byte: UInt8, isControl: Bool) {
    let isKnown = parameters.count <= Self.parameterLimit
    guard byte >= 0x40 else {
      if isKnown { state = .sequence(parameters: parameters + [byte], isControl: isControl) }
      return
    }
    state = .text
    let final = Character(Unicode.Scalar(byte))
    let isBare = isControl && parameters.isEmpty
    switch (final, parameters.first.map { Character(Unicode.Scalar($0)) }) {
    // There are more attributes than a key has parameters.
    case ("c", "?") where isControl: events.append(.attributes)
    case ("n", "0") where isControl: events.append(.status)
    case _ where !isKnown: break
    case ("M", "<") where isControl, ("m", "<") where isControl:
      let numbers = Self.numbers(in: parameters.dropFirst())
      let event = numbers.flatMap { MouseEvent($0, isRelease: final == "m") }
      if let event { events.append(.mouse(event)) }
    case ("[", _) where isBare: state = .consoleKey
    case ("I", _) where isBare: press(.focus(true))
    case ("O", _) where isBare: press(.focus(false))
    case ("Z", _) where isBare: press(.modified(.tab, .shift))
    default:
      guard let numbers = Self.numbers(in: parameters[...]) else { return }
      if final == "~", numbers == [200] {
        state = .paste
      } else if let key = Self.key(numbers, final, isControl: isControl) {
        press(key)
      }
    }
  }

  /// The parameters, at least one, with 0 for an omitted one.
  ///
  /// `nil` if any is not a decimal number, as in responses of a terminal.
  private static func numbers(in parameters: ArraySlice<UInt8>) -> [Int]? {
    let words = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let numbers = words.compactMap { word -> Int? in
      guard word.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return word.isEmpty ? 0 : Int(String(decoding: word, as: UTF8.self))
    }
    return numbers.count == words.count ? numbers : nil
  }

  private static func key(_ numbers: [Int], _ final: Character, isControl: Bool) -> Key? {
    guard let modifiers = Key.Modifiers(in: numbers) else { return nil }
    // xterm with `modifyOtherKeys`: the third number is the character of the key without modifiers.
    if final == "~", numbers.first == 27 { return numbers.dropFirst(2) == [13] ? .newline : nil }
    guard let key = key(numbers[0], final, isControl: isControl), numbers.count <= 2 else {
      return nil
    }
    switch (key, modifiers) {
    case (_, []): return key
    case (.left, .alt), (.left, .control): return .wordLeft
    case (.right, .alt), (.right, .control): return .wordRight
    // The newer encoding of Enter with a modifier: `CSI 13;2u` is Shift-Enter.
    case (.enter, _): return .newline
    default: return .modified(key, modifiers)
    }
  }

  /// The key without modifiers.
  private static func key(_ number: Int, _ final: Character, isControl: Bool) -> Key? {
    switch (final, number) {
    case ("A", _): .up
    case ("B", _): .down
    case ("C", _): .right
    case ("D", _): .left
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
    case ("u", 13): .enter
    default: nil
    }
  }
}
