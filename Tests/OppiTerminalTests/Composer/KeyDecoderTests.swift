// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite("KeyDecoder")
struct KeyDecoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var events: [KeyDecoder.Event]

    init(_ text: String, _ keys: Key...) {
      self.init(text, events: keys.map { .key($0) })
    }

    init(bytes: [UInt8], _ keys: Key...) {
      (self.bytes, events) = (bytes, keys.map { .key($0) })
    }

    init(_ text: String, events: [KeyDecoder.Event]) {
      (bytes, self.events) = (Array(text.utf8), events)
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

  static let modified = [
    Case("\u{1B}[Z", .modified(.tab, .shift)),
    Case("\u{1B}x\u{1B}1", .modified(.text("x"), .alt), .modified(.text("1"), .alt)),
    Case("\u{1B}[1;2C\u{1B}[1;2A", .modified(.right, .shift), .modified(.up, .shift)),
    Case("\u{1B}[1;5A\u{1B}[1;3B", .modified(.up, .control), .modified(.down, .alt)),
    Case(
      "\u{1B}[1;6D\u{1B}[1;4C",
      .modified(.left, [.control, .shift]),
      .modified(.right, [.alt, .shift])
    ),
    Case("\u{1B}[1;5H\u{1B}[3;5~", .modified(.home, .control), .modified(.delete, .control)),
    Case("\u{1B}[1;1A\u{1B}[1;A\u{1B}[1;0A", .up, .up, .up),
    // Meta, Super and more than one number of modifiers.
    Case("\u{1B}[1;9A\u{1B}[1;17A\u{1B}[1;2;3A\u{1B}[13;9u\u{1B}[13;65u"),
    Case("\u{1B}[+1;2A\u{1B}[1;-2A\u{1B}[1;2:3A"),
  ]

  static let mouse = [
    Case(
      "\u{1B}[<0;1;1M\u{1B}[<0;12;3m",
      events: [
        .mouse(MouseEvent(.press, row: 0, column: 0)),
        .mouse(MouseEvent(.release, row: 2, column: 11)),
      ]
    ),
    Case(
      "\u{1B}[<64;5;6M\u{1B}[<65;5;6Ma",
      events: [
        .mouse(MouseEvent(.wheelUp, row: 5, column: 4)),
        .mouse(MouseEvent(.wheelDown, row: 5, column: 4)), .key(.text("a")),
      ]
    ),
    Case(
      "\u{1B}[<4;10000;10000M\u{1B}[<69;1;2M",
      events: [
        .mouse(MouseEvent(.press, row: 9999, column: 9999, isShifted: true)),
        .mouse(MouseEvent(.wheelDown, row: 1, column: 0, isShifted: true)),
      ]
    ),
    // Other buttons, Meta, Ctrl, motions, the wheel to the left, and a release of the wheel.
    Case("\u{1B}[<1;1;1M\u{1B}[<2;1;1M\u{1B}[<8;1;1M\u{1B}[<16;1;1M\u{1B}[<32;1;1M\u{1B}[<35;1;1M"),
    Case("\u{1B}[<66;1;1M\u{1B}[<64;1;1m\u{1B}[<128;1;1M"),
    Case("\u{1B}[<0;0;1M\u{1B}[<0;1;0M\u{1B}[<0;1M\u{1B}[<0;1;1;1M\u{1B}[<0;;M\u{1B}[<M"),
    Case("\u{1B}[<0;10001;1M\u{1B}[<0;1;99999999999999999999M\u{1B}[<0;-1;1M\u{1B}[<0;+1;1M"),
    Case(
      "\u{1B}O<0;1;1M\u{1B}[<0;1;1Ma",
      events: [
        .mouse(MouseEvent(.press, row: 0, column: 0)), .key(.text("a")),
      ]
    ),
  ]

  private static func colors(_ words: String...) -> String {
    words.map { "\u{1B}]11;rgb:\($0)\u{07}" }.joined()
  }

  static let answers = [
    Case(
      colors("0000/0000/0000", "ffff/FFFF/ffff"),
      events: [.background(.dark), .background(.light)]
    ),
    Case(colors("1e1e/1e1e/2e2e", "fdf6/f6/e"), events: [.background(.dark), .background(.light)]),
    Case("\u{1B}]11;rgb:ff/ff/ff\u{1B}\\a", events: [.background(.light), .key(.text("a"))]),
    Case(
      colors("0/f/0", "f/0/0", "0/0/f"),
      events: [.background(.light), .background(.dark), .background(.dark)]
    ),
    Case("\u{1B}[?62;1;4ca\u{1B}[?6c", events: [.attributes, .key(.text("a")), .attributes]),
    Case("\u{1B}[?64;1;2;6;9;15;16;17;18;21;22;28c", events: [.attributes]),
    Case(colors("0/0", "0/0/0/0", "00000/0/0", "//", "g/0/0", "-1/0/0", "0/0/0;", "0/0/ 0")),
    Case(
      "\u{1B}]10;rgb:0/0/0\u{07}\u{1B}]11;rgba:0/0/0/0\u{07}\u{1B}]11;#000000\u{07}\u{1B}]11;?\u{07}"
    ),
    // Another end than the two.
    Case("\u{1B}]11;rgb:0/0/0\u{1B}[Aa", .up, .text("a")),
    Case("\u{1B}]11;rgb:0/0/0\ra", .enter, .text("a")),
    Case("\u{1B}P11;rgb:0/0/0\u{1B}\\\u{1B}X11;rgb:0/0/0\u{07}a", .text("a")),
    Case("\u{1B}[62c\u{1B}O?6ca", .text("a")),
    Case("\u{1B}[0na\u{1B}[0n", events: [.status, .key(.text("a")), .status]),
    // The position of the cursor, a status without the form of one, and another report.
    Case("\u{1B}[5;7R\u{1B}[n\u{1B}On\u{1B}[?997;1na", .text("a")),
  ]

  static let swallowed = [
    Case("a\u{1B}[15~b", .text("a"), .text("b")),
    Case("a\u{1B}OI\u{1B}[1I\u{1B}OP\u{1B}[2~b", .text("a"), .text("b")),
    Case("a\u{1B}[[Ab", .text("a"), .text("b")),
    Case("a\u{1B}äb", .text("a"), .text("b")),
    // Replies of a terminal: cursor position, mode, colour, version.
    Case("\u{1B}[24;80Ra", .text("a")),
    Case("a\u{1B}[?2026;2$yb", .text("a"), .text("b")),
    Case("\u{1B}]10;rgb:0000/0000/0000\u{07}a", .text("a")),
    Case("\u{1B}]10;rgb:0000/0000/0000\u{1B}\\a", .text("a")),
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

  static let all = typed + named + modified + mouse + answers + swallowed + pasted

  @Test("bytes are decoded into keys", arguments: all)
  func table(_ sample: Case) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(sample.bytes) == sample.events)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
  }

  @Test("bytes split at any position are decoded into the same keys", arguments: all)
  func split(_ sample: Case) {
    let events = joined(sample.events)
    for index in sample.bytes.indices {
      var decoder = KeyDecoder()
      let parts = decoder.decode(sample.bytes[..<index]) + decoder.decode(sample.bytes[index...])
      #expect(joined(parts) == events)
    }
    var decoder = KeyDecoder()
    #expect(joined(sample.bytes.flatMap { decoder.decode([$0]) }) == events)
  }

  @Test("random bytes split at any position are decoded into the same keys", arguments: 0..<50)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = generator.keyBytes(60)
    var whole = KeyDecoder()
    let events = joined(whole.decode(bytes))
    for index in bytes.indices {
      var decoder = KeyDecoder()
      let parts = decoder.decode(bytes[..<index]) + decoder.decode(bytes[index...])
      #expect(joined(parts) == events)
      #expect(decoder.isPending == whole.isPending)
    }
  }

  @Test("a single escape is a key if nothing follows")
  func loneEscape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x61, 0x1B]) == [.key(.text("a"))])
    #expect(decoder.isPending)
    #expect(decoder.flush() == [.key(.escape)])
    #expect(!decoder.isPending)
    #expect(decoder.decode(Array("[A".utf8)) == [.key(.text("[A"))])
  }

  @Test(
    "an incomplete sequence is dropped if nothing follows",
    arguments: ["\u{1B}[1;", "\u{1B}O", "\u{1B}[[", "\u{1B}]11;x", "\u{1B}]", "\u{1B}P"]
  )
  func unfinished(_ bytes: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(bytes.utf8).isEmpty)
    #expect(decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode("ok".utf8) == [.key(.text("ok"))])
  }

  @Test(
    "an answer or a report that comes in pieces is never text, wherever it pauses after its start",
    arguments: [
      ("\u{1B}]11;rgb:0000/ffff/0000\u{07}", .background(.light)),
      ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", .background(.dark)),
      ("\u{1B}[?62;1;4c", .attributes), ("\u{1B}[0n", .status),
      ("\u{1B}[<0;10;20M", .mouse(MouseEvent(.press, row: 19, column: 9))),
    ] as [(String, KeyDecoder.Event)]
  )
  func slowReport(_ text: String, event: KeyDecoder.Event) {
    let bytes = Array(text.utf8)
    for index in 3..<bytes.count {
      var decoder = KeyDecoder()
      var events = decoder.decode(bytes[..<index]) + decoder.flush()
      events += decoder.decode(bytes[index...]) + decoder.decode("ok".utf8)
      #expect(events == [event, .key(.text("ok"))])
    }
  }

  @Test("a slow paste is one paste")
  func slowPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~rm -rf\r\u{1B}[20".utf8).isEmpty)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode("1~".utf8) == [.key(.paste("rm -rf\n"))])
  }

  @Test("a paste is truncated at its limit, and its end is detected")
  func longPaste() {
    var decoder = KeyDecoder(pasteLimit: 4)
    let text = "\u{1B}[200~123\u{1B}[201x5678\u{1B}[201~ok"
    #expect(decoder.decode(text.utf8) == [.key(.paste("123")), .key(.text("ok"))])
  }
}

/// The events with adjacent texts joined, since a read may split text anywhere.
private func joined(_ events: [KeyDecoder.Event]) -> [KeyDecoder.Event] {
  events.reduce(into: []) { joined, event in
    if case .key(.text(let more)) = event, case .key(.text(let text)) = joined.last {
      joined[joined.count - 1] = .key(.text(text + more))
    } else {
      joined.append(event)
    }
  }
}

extension SeededGenerator {
  /// Random bytes, most of which begin or continue a sequence.
  mutating func keyBytes(_ count: Int) -> [UInt8] {
    let likely = Array(
      "\u{1B}\u{1B}[[O]<?~~;;2001135ABCDHMmcab\r\n\t\u{03}\u{07}\u{7F}é한😀\u{301}".utf8
    )
    return (0..<count).map { _ in
      Int.random(in: 0..<5, using: &self) == 0
        ? UInt8.random(in: .min ... .max, using: &self)
        : likely.randomElement(using: &self) ?? 0
    }
  }
}
