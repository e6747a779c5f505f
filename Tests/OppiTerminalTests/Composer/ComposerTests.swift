// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import OppiTerminal

@Suite("Composer")
struct ComposerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var keys: [Key]
    /// The text with `|` at the cursor.
    var result: String
    var history: [String]

    init(_ keys: Key..., gives result: String, after history: String...) {
      (self.keys, self.result, self.history) = (keys, result, history)
    }

    var testDescription: String { result.debugDescription }
  }

  private static let draft = Key.text("draft")
  private static let threeLines = Key.paste("one\nsecond\n3")

  static let typing = [
    Case(gives: "|"),
    Case(.text("ab"), .left, .text("c"), gives: "ac|b"),
    Case(.text("한"), .text("e"), .text("\u{301}"), .left, gives: "한|é"),
    // Two characters that combine into one have one position.
    Case(.text("\u{301}"), .home, .text("e"), gives: "é|"),
    Case(.text("ex\u{301}"), .left, .right, .backspace, gives: "e|"),
    Case(.text("ex"), .text("\u{301}"), .left, .left, .delete, gives: "|x\u{301}"),
    Case(.text("\u{1F1E9}"), .text("\u{1F1EA}"), .left, gives: "|🇩🇪"),
    Case(.paste("a\r\nb\u{1B}[31mc\u{07}\td"), gives: "a\nbc\td|"),
    Case(.text("a"), .newline, .text("b"), gives: "a\nb|"),
    Case(.backspace, .delete, .left, .right, .home, .end, .wordLeft, .wordRight, gives: "|"),
    Case(.text("abc"), .backspace, .left, .delete, gives: "a|"),
    Case(.text("ab"), .home, .backspace, gives: "|ab"),
    Case(.text("a"), .newline, .backspace, .text("b"), gives: "ab|"),
  ]

  static let moves = [
    Case(threeLines, .up, gives: "one\ns|econd\n3"),
    Case(threeLines, .up, .end, .up, .down, gives: "one\nsecond|\n3"),
    Case(threeLines, .up, .end, .up, .left, .down, gives: "one\nse|cond\n3"),
    Case(threeLines, .up, .end, .down, .up, gives: "one\nsecond|\n3"),
    Case(threeLines, .up, .home, gives: "one\n|second\n3"),
    Case(threeLines, .down, gives: "one\nsecond\n3|"),
    Case(.paste("한한\nabcd"), .left, .up, gives: "한|한\nabcd"),
    Case(.paste("\tx\nabcdef"), .left, .up, gives: "\tx|\nabcdef"),
    Case(.text("let a_b = c.d()"), .wordLeft, gives: "let a_b = c.|d()"),
    Case(.text("let a_b = c"), .home, .wordRight, .wordRight, gives: "let a|_b = c"),
    Case(.text("한글 두"), .wordLeft, .wordLeft, gives: "|한글 두"),
    Case(.text("ab"), .control("a"), .control("f"), .text("x"), gives: "ax|b"),
    Case(.text("ab"), .control("b"), .control("b"), .control("e"), gives: "ab|"),
  ]

  static let undoing = [
    Case(.text("ab"), .text("c"), .undo, gives: "|"),
    Case(.text("ab"), .control("w"), .undo, gives: "ab|"),
    Case(.text("ab"), .left, .text("x"), .undo, gives: "a|b"),
    Case(.text("ab"), .left, .text("x"), .undo, .undo, .undo, gives: "|"),
    Case(.text("draft"), .up, .undo, gives: "draft|", after: "one"),
    Case(.undo, gives: "|"),
  ]

  static let searches = [
    Case(.control("r"), .text("ne"), .enter, gives: "one more|", after: "one", "one more", "two"),
    Case(.control("r"), .text("ONE"), .control("r"), .enter, gives: "one|", after: "one", "one x"),
    Case(
      .control("r"),
      .text("one x"),
      .backspace,
      .backspace,
      .enter,
      gives: "one|",
      after: "one x",
      "one"
    ),
    Case(.text("d"), .control("r"), .text("zzz"), .escape, gives: "d|", after: "one"),
    Case(.text("d"), .control("r"), .text("one"), .control("c"), gives: "d|", after: "one"),
    Case(
      .control("r"),
      .text("onex"),
      .backspace,
      .home,
      .text("> "),
      gives: "> |one",
      after: "one",
      "two"
    ),
    Case(.control("r"), .enter, .text("x"), gives: "x|", after: "one"),
  ]

  static let kills = [
    Case(.text("one two"), .home, .deleteWord, gives: "| two"),
    Case(.text("one two"), .home, .deleteWord, .deleteWord, .control("y"), gives: "one two|"),
    Case(.text("one two"), .control("w"), gives: "one |"),
    Case(.text("a.b/c  "), .control("w"), gives: "|"),
    Case(.text("one two"), .control("w"), .control("w"), .control("y"), gives: "one two|"),
    Case(
      .text("one two"),
      .control("w"),
      .left,
      .control("w"),
      .end,
      .control("y"),
      gives: " one|"
    ),
    Case(.text("abc"), .left, .control("k"), .home, .control("y"), gives: "c|ab"),
    Case(.text("abc"), .left, .control("u"), .control("k"), .control("y"), gives: "abc|"),
    Case(threeLines, .up, .control("u"), gives: "one\n|econd\n3"),
    Case(threeLines, .up, .home, .control("u"), gives: "one|second\n3"),
    Case(threeLines, .up, .control("k"), .control("k"), gives: "one\ns|3"),
    Case(.text("ab"), .home, .control("d"), gives: "|b"),
    Case(.control("k"), .control("u"), .control("w"), .control("y"), gives: "|"),
  ]

  static let recalls = [
    Case(draft, .up, gives: "second|", after: "first", "second"),
    Case(draft, .up, .up, .up, gives: "first|", after: "first", "second"),
    Case(draft, .up, .up, .down, gives: "second|", after: "first", "second"),
    Case(draft, .up, .up, .down, .down, gives: "draft|", after: "first", "second"),
    Case(draft, .up, .down, .text("!"), gives: "draft!|", after: "first"),
    Case(draft, .down, gives: "draft|", after: "first"),
    Case(draft, .control("p"), .control("n"), gives: "draft|", after: "first"),
    Case(.paste("a\nb"), .up, gives: "a|\nb", after: "first"),
    Case(.paste("a\nb"), .up, .up, gives: "first|", after: "first"),
    Case(.up, .text("!"), .up, .down, gives: "two|", after: "one", "two"),
    Case(.up, gives: "a\nb|", after: "a\r\nb\u{1B}[2J"),
  ]

  @Test("keys edit the text", arguments: typing + moves + undoing + searches + kills + recalls)
  func table(_ sample: Case) {
    var composer = Composer(history: sample.history)
    for key in sample.keys { #expect(composer.apply(key) == nil) }
    #expect(composer.marked == sample.result)
  }

  @Test("changes that were undone do not count for the size of what can be undone")
  func undoneSize() {
    var composer = Composer()
    composer.replace(String(repeating: "a", count: 300_000))
    for _ in 1...3 { for key in [Key.text("b"), .undo] { _ = composer.apply(key) } }
    _ = composer.apply(.undo)
    #expect(composer.isEmpty)
  }

  @Test(
    "other keys are passed to the owner",
    arguments: [
      (.control("c"), .interrupt), (.control("g"), .openEditor), (.control("l"), .redraw),
      (.control("z"), .suspend), (.control("s"), .key(.control("s"))), (.escape, .key(.escape)),
      (.tab, .key(.tab)), (.pageUp, .key(.pageUp)), (.pageDown, .key(.pageDown)),
    ] as [(Key, ComposerAction)]
  )
  func actions(key: Key, action: ComposerAction) {
    var composer = Composer()
    _ = composer.apply(.text("text"))
    #expect(composer.apply(key) == action)
    #expect(composer.marked == "text|")
  }

  @Test("Enter sends the text unchanged and adds it to the history")
  func send() {
    var composer = Composer(history: ["old"])
    _ = composer.apply(.paste(" one\ntwo "))
    #expect(composer.apply(.enter) == .send(" one\ntwo "))
    #expect(composer.text.isEmpty)
    _ = composer.apply(.up)
    #expect(composer.text == " one\ntwo ")
    #expect(composer.apply(.enter) == .send(" one\ntwo "))
    for _ in 0..<3 { _ = composer.apply(.up) }
    #expect(composer.text == "old")
  }

  @Test("a field for one line has no line ends")
  func oneLine() {
    var field = Composer.oneLine
    for key in [Key.text("a"), .newline, .paste("\r\nb\n\nc\n"), .text("d")] {
      _ = field.apply(key)
    }
    #expect(field.text == "ab cd")
  }

  @Test("a blank text is not sent", arguments: ["", " ", "\n\t\n"])
  func blank(text: String) {
    var composer = Composer()
    _ = composer.apply(.paste(text))
    #expect(composer.apply(.enter) == nil)
    #expect(composer.text == text)
  }

  @Test("Ctrl-D ends the input only if the text is empty")
  func endOfInput() {
    var composer = Composer()
    #expect(composer.apply(.control("d")) == .endOfInput)
    _ = composer.apply(.text("a"))
    #expect(composer.apply(.control("d")) == nil)
    #expect(composer.text == "a")
  }

  @Test("a replacement is sanitized and replaces the text")
  func replace() {
    var composer = Composer()
    _ = composer.apply(.text("old"))
    composer.replace("new\r\nline\u{1B}]0;title\u{07}\u{202E}")
    #expect(composer.marked == "new\nline|")
  }

  @Test("random keys give a printable text and a valid cursor", arguments: 0..<20)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var composer = Composer(history: ["one", "two\nlines", "한\u{301}\t"])
    for _ in 0..<150 {
      _ = composer.apply(generator.key())
      #expect((0...composer.buffer.characters.count).contains(composer.buffer.cursor))
      #expect(composer.buffer.characters == Array(composer.text))
      #expect(
        composer.text.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" || $0 == "\t" }
      )
    }
  }

  @Test("random bytes never insert a control character", arguments: 0..<20)
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (decoder, composer) = (KeyDecoder(), Composer())
    for _ in 0..<40 {
      for case .key(let key) in decoder.decode(generator.keyBytes(20)) {
        _ = composer.apply(key)
      }
      #expect(
        composer.text.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" || $0 == "\t" }
      )
    }
  }
}

extension Composer {
  /// The text with `|` at the cursor.
  var marked: String {
    String(buffer.characters[..<buffer.cursor]) + "|" + String(buffer.characters[buffer.cursor...])
  }
}

extension SeededGenerator {
  mutating func key() -> Key {
    let keys: [Key] = [
      .enter, .newline, .newline, .backspace, .delete, .left, .right, .up, .down, .home, .end,
      .wordLeft, .wordRight, .tab, .deleteWord, .undo, .escape, .paste("a\nb\u{1B}[2Jc\r\n"),
      .paste("\u{301}\n\t"),
    ]
    let texts = [
      "a", "bc d", "한", "e", "\u{301}", "\u{1F44D}", "\u{1F3FD}", "\u{1B}", "\t", "가", "ᄀ", "ᅡ",
    ]
    return switch Int.random(in: 0..<3, using: &self) {
    case 0: keys.randomElement(using: &self) ?? .enter
    case 1: .control(Array("abdefknpruwy").randomElement(using: &self) ?? "a")
    default: .text(texts.randomElement(using: &self) ?? "")
    }
  }
}
