// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct JSON5EditTests {
  @Test(
    "one value changes and everything else stays",
    arguments: [
      ("", "{\n  \"a\": \"new\",\n}\n"),
      ("{}", "{\n  \"a\": \"new\",}"),
      ("{ a: 'old' } // why", "{ a: \"new\" } // why"),
      (
        "// top\n{\n  b: 1, // one\n  \"a\": [1, {a: 2}],\n}",
        "// top\n{\n  b: 1, // one\n  \"a\": \"new\",\n}"
      ),
      ("{ b: { a: 1 } }", "{\n  \"a\": \"new\", b: { a: 1 } }"),
    ]
  )
  func setsValue(text: String, edited: String) throws {
    let bytes = try JSON5Edit.set(["a"], to: "new", in: Array(text.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == edited)
    #expect(try JSONValue(parsingJSON5: bytes)["a"] == "new")
  }

  @Test(
    "a value inside an object is found or added there",
    arguments: [
      "", "{ app: { command: 'old' } }", "{ app: { other: 1 } }", "{ app: 3 }", "{ x: 1 }",
    ]
  )
  func setsNestedValue(text: String) throws {
    let bytes = try JSON5Edit.set(["app", "command"], to: "new", in: Array(text.utf8))
    #expect(try JSONValue(parsingJSON5: bytes)["app"]["command"] == "new")
  }

  @Test("a text that is not JSON5 is left alone")
  func refusesDamage() {
    #expect(throws: JSONError.self) {
      try JSON5Edit.set(["a"], to: "new", in: Array("{ a: ".utf8))
    }
  }
}
