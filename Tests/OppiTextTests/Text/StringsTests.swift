// SPDX-License-Identifier: MIT

import Testing

@testable import OppiText

@Suite struct ShellWordsTests {
  @Test(
    "a line is split like in a shell, without expansion",
    arguments: [
      ("", []), ("  foot   -e ", ["foot", "-e"]), ("a\tb\nc", ["a", "b", "c"]),
      ("'my app' \"two words\"", ["my app", "two words"]), ("my\\ app", ["my app"]),
      ("--title='a b'c", ["--title=a bc"]), ("'' x", ["", "x"]),
      ("\"a \\\" b\" \"c\\d\"", ["a \" b", "c\\d"]), ("'a\\b'", ["a\\b"]),
      ("$HOME *.c ~ | & ; > `x` #y", ["$HOME", "*.c", "~", "|", "&", ";", ">", "`x`", "#y"]),
    ] as [(String, [String])]
  )
  func split(line: String, words: [String]) {
    #expect(ShellWords.split(line) == words)
  }

  @Test("an unterminated line has no words", arguments: ["'a", "a \"b", "a\\", "\"a\\"])
  func unfinished(line: String) {
    #expect(ShellWords.split(line) == nil)
  }

  @Test(
    "a quoted word is split into the same word, and a plain word is not quoted",
    arguments: [
      ("studio/api", "studio/api"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
      ("sha256:x|y", "'sha256:x|y'"), ("~/a", "'~/a'"), ("é", "'é'"),
    ]
  )
  func quoted(word: String, quoted: String) {
    #expect(ShellWords.quoted(word) == quoted)
    #expect(ShellWords.split(quoted) == [word])
  }
}

@Suite struct SentencesTests {
  @Test("a mark between two texts is omitted after a punctuation mark")
  func marks() {
    #expect("Run it?".joined(by: ": ", to: "rm a") == "Run it? rm a")
    #expect("Run it".joined(by: ": ", to: "rm a") == "Run it: rm a")
    #expect(["Which tests?", "Which lint", "Done."].sentence() == "Which tests? Which lint; Done.")
    #expect([String]().sentence().isEmpty)
  }
}

@Suite struct ASCIITests {
  @Test("only ASCII letters and digits are alphanumeric")
  func alphanumeric() {
    let all = (UInt8.min...UInt8.max).filter(\.isASCIIAlphanumeric)
    #expect(
      String(decoding: all, as: UTF8.self)
        == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    )
    #expect((UInt8.min...UInt8.max).filter(\.isASCIIDigit) == Array("0123456789".utf8))
  }
}

@Suite struct Base64Tests {
  @Test(
    "the examples of RFC 4648 section 10 are encoded and decoded",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
  )
  func examples(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
    #expect(Base64.encodeURL(Array(text.utf8)) == encoded.replacing("=", with: ""))
  }

  @Test("both alphabets are decoded")
  func alphabets() {
    #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8")
    #expect(Base64.decode("-_8") == [0xFB, 0xFF])
    #expect(Base64.decode("+/8=") == [0xFB, 0xFF])
  }

  @Test(
    "other characters and impossible lengths are rejected",
    arguments: ["a", "a b=", "Zg=x", "é"]
  )
  func refuses(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
