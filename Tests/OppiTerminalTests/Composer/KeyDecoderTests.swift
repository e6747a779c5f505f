// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite("KeyDecoder")
struct KeyDecoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var keys: [Key]

    init(_ text: String, _ keys: Key...) {
      (bytes, self.keys) = (Array(text.utf8), keys)
    }

    init(bytes: [UInt8], _ keys: Key...) {
      (self.bytes, self.keys) = (bytes, keys)
    }

    var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }
  }

  static let typed = [
    Case(""),
    Case("hello", .text("hello")),
    Case("e\u{301}한😀", .text("e\u{301}한😀")),
    Case("a\rb", .text("a"), .enter, .text("b")),
    Case("\n\t\u{7F}\u{08}", .newline, .tab, .backspace, .backspace),
    Case("\u{01}\u{03}\u{1A}", .control("a"), .control("c"), .control("z")),
    Case("a\u{00}\u{1C}\u{1E}b", .text("a"), .text("b")),
    // Not text: C1 controls, bidirectional and zero-width characters, private use.
    Case("a\u{85}\u{9B}\u{202E}\u{200B}\u{E000}b", .text("ab")),
    Case(bytes: [0x61, 0xFF, 0xC3, 0x62], .text("a\u{FFFD}\u{FFFD}b")),
    Case(bytes: [0xC3, 0x0D], .text("\u{FFFD}"), .enter),
  ]

  static let named = [
    Case("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", .up, .down, .right, .left),
    Case("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", .up, .down, .right, .left),
    Case("\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF", .home, .end, .home, .end),
    Case("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", .home, .end, .home, .end),
    Case("\u{1B}[3~\u{1B}[5~\u{1B}[6~", .delete, .pageUp, .pageDown),
    Case(
      "\u{1B}[1;5C\u{1B}[1;5D\u{1B}[1;3C\u{1B}[1;3D",
      .wordRight,
      .wordLeft,
      .wordRight,
      .wordLeft
    ),
    Case("\u{1B}[1;2C\u{1B}[1;2A\u{1B}[1;5H\u{1B}[3;5~", .right, .up, .home, .delete),
    Case("\u{1B}Oc\u{1B}Od", .wordRight, .wordLeft),
    Case("\u{1B}b\u{1B}f\u{1B}\u{7F}", .wordLeft, .wordRight, .control("w")),
    Case("\u{1B}d\u{1F}", .deleteWord, .undo),
    Case("\u{1B}\r\u{1B}\n\u{1B}[13;2u\u{1B}[27;2;13~", .newline, .newline, .newline, .newline),
    Case("\u{1B}OM\u{1B}[13u", .enter, .enter),
    Case("\u{1B}[I\u{1B}[O", .focus(true), .focus(false)),
    Case("\u{1B}\u{1B}[A", .escape, .up),
    // A control key ends a sequence that cannot contain it.
    Case("\u{1B}[1;\u{03}x", .control("c"), .text("x")),
    Case("\u{1B}[\u{1B}[A", .up),
  ]

  static let swallowed = [
    Case("a\u{1B}[15~b", .text("a"), .text("b")),
    Case("a\u{1B}[Z\u{1B}OI\u{1B}[1I\u{1B}OP\u{1B}[2~b", .text("a"), .text("b")),
    Case("a\u{1B}[[Ab", .text("a"), .text("b")),
    Case("a\u{1B}xb", .text("a"), .text("b")),
    Case("a\u{1B}äb", .text("a"), .text("b")),
    // Replies of a terminal: cursor position, device attributes, mode, colour, version.
    Case("\u{1B}[24;80Ra", .text("a")),
    Case("\u{1B}[?62;1;4ca\u{1B}[?2026;2$yb", .text("a"), .text("b")),
    Case("\u{1B}]11;rgb:0000/0000/0000\u{07}a", .text("a")),
    Case("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\a", .text("a")),
    Case("\u{1B}P>|XTerm(379)\u{1B}\\a", .text("a")),
    Case("\u{1B}[\(String(repeating: "1", count: 400))Aa", .text("a")),
    Case("\u{1B}[99999999999999999999999~a", .text("a")),
  ]

  static let pasted = [
    Case(
      "\u{1B}[200~one\rtwo\r\nthree\nfour\tfive\u{1B}[201~",
      .paste("one\ntwo\nthree\nfour\tfive")
    ),
    Case("a\u{1B}[200~b\u{1B}[201~c", .text("a"), .paste("b"), .text("c")),
    Case("\u{1B}[200~b\u{1B}[201~\u{1B}[200~c\u{1B}[201~", .paste("b"), .paste("c")),
    Case("\u{1B}[200~\u{1B}[201~\r", .enter),
    Case("\u{1B}[200~a\u{1B}[31mb\u{03}\u{07}\u{202E}c\u{1B}[201~", .paste("abc")),
    Case("\u{1B}[200~a\u{1B}[20\u{1B}[201xb\u{1B}[201~c", .paste("ab"), .text("c")),
    Case("\u{1B}[200~\u{1B}[200~\u{1B}\u{1B}[201~"),
  ]

  static let all = typed + named + swallowed + pasted

  @Test("bytes are decoded into keys", arguments: all)
  func table(_ sample: Case) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(sample.bytes) == sample.keys)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
  }

  @Test("bytes split at any position are decoded into the same keys", arguments: all)
  func split(_ sample: Case) {
    let keys = Key.joined(sample.keys)
    for index in sample.bytes.indices {
      var decoder = KeyDecoder()
      let parts = decoder.decode(sample.bytes[..<index]) + decoder.decode(sample.bytes[index...])
      #expect(Key.joined(parts) == keys)
    }
    var decoder = KeyDecoder()
    #expect(Key.joined(sample.bytes.flatMap { decoder.decode([$0]) }) == keys)
  }

  @Test("random bytes split at any position are decoded into the same keys", arguments: 0..<50)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = generator.keyBytes(60)
    var whole = KeyDecoder()
    let keys = Key.joined(whole.decode(bytes))
    for index in bytes.indices {
      var decoder = KeyDecoder()
      let parts = decoder.decode(bytes[..<index]) + decoder.decode(bytes[index...])
      #expect(Key.joined(parts) == keys)
      #expect(decoder.isPending == whole.isPending)
    }
  }

  @Test("a single escape is a key if nothing follows")
  func loneEscape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x61, 0x1B]) == [.text("a")])
    #expect(decoder.isPending)
    #expect(decoder.flush() == [.escape])
    #expect(!decoder.isPending)
    #expect(decoder.decode(Array("[A".utf8)) == [.text("[A")])
  }

  @Test(
    "an incomplete sequence is dropped if nothing follows",
    arguments: ["\u{1B}[1;", "\u{1B}O", "\u{1B}[[", "\u{1B}]11;x", "\u{1B}P"]
  )
  func unfinished(_ bytes: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(bytes.utf8).isEmpty)
    #expect(decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode("ok".utf8) == [.text("ok")])
  }

  @Test("a slow paste is one paste")
  func slowPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~rm -rf\r\u{1B}[20".utf8).isEmpty)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode("1~".utf8) == [.paste("rm -rf\n")])
  }

  @Test("a paste is truncated at its limit, and its end is detected")
  func longPaste() {
    var decoder = KeyDecoder(pasteLimit: 4)
    let text = "\u{1B}[200~123\u{1B}[201x5678\u{1B}[201~ok"
    #expect(decoder.decode(text.utf8) == [.paste("123"), .text("ok")])
  }
}

extension Key {
  /// The keys with adjacent texts joined, since a read may split text anywhere.
  static func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { joined, key in
      if case .text(let more) = key, case .text(let text) = joined.last {
        joined[joined.count - 1] = .text(text + more)
      } else {
        joined.append(key)
      }
    }
  }
}

extension SeededGenerator {
  /// Random bytes, most of which begin or continue a sequence.
  mutating func keyBytes(_ count: Int) -> [UInt8] {
    let likely = Array("\u{1B}\u{1B}[[O~~;;2001135ABCDHab\r\n\t\u{03}\u{7F}é한😀\u{301}".utf8)
    return (0..<count).map { _ in
      Int.random(in: 0..<5, using: &self) == 0
        ? UInt8.random(in: .min ... .max, using: &self)
        : likely.randomElement(using: &self) ?? 0
    }
  }
}
