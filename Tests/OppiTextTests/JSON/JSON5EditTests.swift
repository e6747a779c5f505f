// SPDX-License-Identifier: MIT

import OppiText
import Testing

@Suite struct JSON5EditTests {
  @Test(
    "a set replaces one value and keeps the rest",
    arguments: [
      ("", "{\n  \"a\": \"new\",\n}\n"),
      ("{}", "{\n  \"a\": \"new\",}"),
      ("{ a: 'old' } // why", "{ a: \"new\" } // why"),
      (
        "// top\n{\n  b: 1, // one\n  \"a\": [1, {a: 2}],\n}",
        "// top\n{\n  b: 1, // one\n  \"a\": \"new\",\n}"
      ),
      ("{ b: { a: 1 } }", "{\n  \"a\": \"new\", b: { a: 1 } }"),
      ("\u{FEFF}{a: 'old'}", "\u{FEFF}{a: \"new\"}"),
      // The last of several counts.
      ("{a: 1, 'a': 2, a: 'old', b: 3}", "{a: 1, 'a': 2, a: \"new\", b: 3}"),
    ]
  )
  func setsValue(text: String, edited: String) throws {
    let bytes = try JSON5Edit.set(["a"], to: "new", in: Array(text.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == edited)
    #expect(try JSONValue(parsingJSON5: bytes)["a"] == "new")
  }

  @Test(
    "a nested value is replaced or added",
    arguments: [
      "", "{ app: { other: 1 } }", "{ app: 3 }", "{ x: 1 }",
      "{app: { /* mine */ command: 'old' }, other: 1}",
      "{app: { command: 1 }, app: { command: 2, command: 'old' }}",
    ]
  )
  func setsNestedValue(text: String) throws {
    let bytes = try JSON5Edit.set(["app", "command"], to: "new", in: Array(text.utf8))
    if text.contains("old") {
      #expect(String(decoding: bytes, as: UTF8.self) == text.replacing("'old'", with: "\"new\""))
    }
    #expect(try JSONValue(parsingJSON5: bytes)["app"]["command"] == "new")
  }

  @Test("objects created for a nested value are indented")
  func laysOut() throws {
    var text = try JSON5Edit.set(["a", "b c", "d"], to: "new", in: [])
    text = try JSON5Edit.set(["a", "e", "f"], to: "more", in: text)
    #expect(
      String(decoding: text, as: UTF8.self) == """
        {
          "a": {
            "e": {
              "f": "more",
            },
            "b c": {
              "d": "new",
            },
          },
        }

        """
    )
  }

  @Test(
    "a removal deletes one value and keeps the rest",
    arguments: [
      ("", ""), ("{ b: 1 }", "{ b: 1 }"), ("{ a: 1 }", "{  }"),
      ("// top\n{\n  a: 1, \n  b: 2, // two\n}\n", "// top\n{\n  b: 2, // two\n}\n"),
      ("{\n  b: 2,\n  a: 1 // one\n}", "{\n  b: 2,\n   // one\n}"),
      ("{a: 1, b: 2}", "{b: 2}"), ("{b: 2, a: 1}", "{b: 2, }"),
      ("{a: 1 /* why */, b: 2}", "{ /* why */ b: 2}"), ("{a: 1, b: 2, 'a': 3}", "{b: 2, }"),
      ("{a: 1, // why\n b: 2}", "{// why\n b: 2}"), ("\u{FEFF}{a: 1}", "\u{FEFF}{}"),
    ]
  )
  func removesValue(text: String, edited: String) throws {
    let bytes = try JSON5Edit.remove(["a"], from: Array(text.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == edited)
    if !bytes.isEmpty { #expect(try JSONValue(parsingJSON5: bytes)["a"] == .null) }
  }

  @Test(
    "a nested value is removed",
    arguments: [
      ("{ app: { command: 'old', b: 1 } }", "{ app: { b: 1 } }"), ("{ app: 3 }", "{ app: 3 }"),
      ("{ command: 1 }", "{ command: 1 }"),
      ("{ app: { command: 1 }, app: { command: 2 } }", "{ app: { command: 1 }, app: {  } }"),
    ]
  )
  func removesNestedValue(text: String, edited: String) throws {
    let bytes = try JSON5Edit.remove(["app", "command"], from: Array(text.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == edited)
  }

  @Test("invalid JSON5 is not edited")
  func refusesDamage() {
    #expect(throws: JSONError.self) { try JSON5Edit.remove(["a"], from: Array("{ a: ".utf8)) }
    #expect(throws: JSONError.self) {
      try JSON5Edit.set(["a"], to: "new", in: Array("{ a: ".utf8))
    }
  }
}
