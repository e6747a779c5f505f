// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@Suite struct JSONValueTests {
  @Test(
    "strict JSON is parsed",
    arguments: [
      ("null", .null), (" true ", true), ("-0", .integer(0)), ("12", 12), ("1.5e2", .double(150)),
      ("25e-1", .double(2.5)), ("1E+2", .double(100)), ("-5e-1", .double(-0.5)),
      ("1e-400", .double(0)),
      ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .double(9.223372036854775808e18)),
      (#""a\u00e9\n\"\/""#, "aé\n\"/"), (#""\ud83d\ude00""#, "😀"), ("[]", []),
      (#"[1,[2],{"a":null}]"#, [1, [2], ["a": .null]]), (#"{"a":1,"a":2}"#, ["a": 2]),
      ("\u{FEFF}{}", [:]),
    ] as [(String, JSONValue)]
  )
  func readsJSON(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
  }

  @Test(
    "an unpaired surrogate becomes a replacement character",
    arguments: [
      (#""x\ud83d""#, "x\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
      (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
    ]
  )
  func lenientSurrogates(text: String, value: String) throws {
    #expect(try JSONValue(parsing: Array(text.utf8)).string == value)
  }

  @Test("invalid UTF-8 becomes replacement characters")
  func invalidUTF8() throws {
    #expect(try JSONValue(parsing: [0x22, 0xFF, 0x41, 0x22]).string == "\u{FFFD}A")
  }

  @Test(
    "invalid JSON is rejected with its position",
    arguments: [
      ("", .unexpectedEnd, 1, 1), ("{", .unexpectedEnd, 1, 2), ("[1,]", .unexpectedCharacter, 1, 4),
      ("{\"a\":1,\n}", .unexpectedCharacter, 2, 1), ("[1 2]", .unexpectedCharacter, 1, 4),
      ("01", .invalidNumber, 1, 1), ("1.", .invalidNumber, 1, 1), ("-", .invalidNumber, 1, 1),
      ("1e999", .invalidNumber, 1, 1), ("\"\\x\"", .invalidEscape, 1, 3),
      ("\"\\u12\"", .invalidEscape, 1, 4), ("\"abc", .unterminatedString, 1, 5),
      ("{} {}", .trailingText, 1, 4), ("nul", .unexpectedCharacter, 1, 1),
      ("// x\n1", .unexpectedCharacter, 1, 1), ("{a:1}", .unexpectedCharacter, 1, 2),
    ] as [(String, JSONError.Reason, Int, Int)]
  )
  func refuses(text: String, reason: JSONError.Reason, line: Int, column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    #expect(error?.reason == reason)
    #expect(error?.line == line)
    #expect(error?.column == column)
  }

  @Test("nesting that would exhaust the stack is rejected")
  func refusesDeepNesting() {
    let text = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.reason == .tooDeep)
  }

  @Test("JSON5 is parsed")
  func readsJSON5() throws {
    let text = """
      // a comment
      { name: 'it''s', /* another */ "list": [1, 2,], hex: 0x1F, plus: +.5, dot: 5., }
      """
      .replacing("''", with: "\\'")
    let value = try JSONValue(parsingJSON5: Array(text.utf8))
    #expect(
      value == [
        "name": "it's", "list": [1, 2], "hex": 31, "plus": .double(0.5), "dot": .double(5),
      ]
    )
  }

  @Test(
    "invalid JSON5 is rejected",
    arguments: ["{,}", "[,]", "/* open", "/ 1", "{a}", "{a:}"]
  )
  func refusesJSON5(text: String) {
    #expect(throws: JSONError.self) { try JSONValue(parsingJSON5: Array(text.utf8)) }
  }

  @Test("text is written with sorted names and without spaces")
  func writesCompact() {
    let value: JSONValue = ["b": [1, true, .null], "a": .double(0.5)]
    #expect(value.text() == #"{"a":0.5,"b":[1,true,null]}"#)
  }

  @Test("indented text has one member per line")
  func writesIndented() {
    let value: JSONValue = ["b": [1], "a": [:]]
    #expect(value.text(.indented) == "{\n  \"a\": {},\n  \"b\": [\n    1\n  ]\n}")
  }

  @Test("characters that can control a terminal are escaped, others are not")
  func escapesControls() {
    let value: JSONValue = "é\u{1B}[31m\u{202E}\u{9B}\u{2028}\u{7F}\u{0}😀"
    #expect(
      value.text() == #""é\u001b[31m\u202e\u009b\u2028\u007f\u0000😀""#
    )
  }

  @Test("a request body is ASCII with the same content")
  func escapesNonASCII() throws {
    let value: JSONValue = "é😀"
    let text = value.text(escapingNonASCII: true)
    #expect(text == #""\u00e9\ud83d\ude00""#)
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
  }

  @Test("every value survives a round trip", arguments: 0..<200)
  func roundTrip(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let value = Self.random(depth: 0, using: &generator)
    for text in [value.text(), value.text(.indented), value.text(escapingNonASCII: true)] {
      #expect(try JSONValue(parsing: Array(text.utf8)) == value)
      #expect(try JSONValue(parsingJSON5: Array(text.utf8)) == value)
    }
  }

  private static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .integer(.random(in: .min ... .max, using: &generator))
    case 3: return .double(.random(in: -1e9...1e9, using: &generator) + 0.5)
    case 4: return .string(randomText(using: &generator))
    case 5:
      return .array(
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
          random(depth: depth + 1, using: &generator)
        }
      )
    default:
      var members: JSONObject = [:]
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        members[randomText(using: &generator)] = random(depth: depth + 1, using: &generator)
      }
      return .object(members)
    }
  }

  private static func randomText(using generator: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<8, using: &generator) {
      let limit: UInt32 = .random(in: 0..<3, using: &generator) == 0 ? 0x10FFFF : 0x7F
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

struct JSONObjectTests {
  @Test("a member is set, replaced and removed by its name")
  func setting() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["b"] = 3
    object["c"] = "new"
    object["a"] = nil
    object["never"] = nil
    #expect(object == ["b": 3, "c": "new"])
    #expect(object["a"] == nil && object["c"] == "new")
  }

  @Test("equality ignores the order of members")
  func equality() {
    let object: JSONObject = ["a": 1, "b": ["x": 1, "y": 2]]
    #expect(object == ["b": ["y": 2, "x": 1], "a": 1])
    #expect(object != ["b": ["y": 2, "x": 1]])
    #expect(object != ["a": 1, "b": ["x": 1, "y": 3]])
    #expect(object != ["a": 1, "c": ["x": 1, "y": 2]])
    let many = (0..<3000).map { (key: "name\($0)", value: JSONValue.integer($0)) }
    #expect(JSONObject(many) == JSONObject(many.reversed()))
    #expect(JSONObject(many) != JSONObject(many.dropFirst() + [(key: "name0", value: 1)]))
  }

  @Test(
    "the last of several members with the same name is used",
    arguments: [2, 5, 40, 3000]
  )
  func repeated(count: Int) throws {
    let names = (0..<count).map { "name\($0 % max(1, count / 2))" }
    let members = names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
    let object = try #require(JSONValue(parsing: Array("{\(members)}".utf8)).object)
    #expect(object.count == max(1, count / 2))
    for (index, name) in names.enumerated().suffix(object.count) {
      #expect(object[name] == .integer(Int64(index)))
    }
  }

  @Test("members without a value are omitted, and added members replace existing ones")
  func adding() {
    let object: JSONObject = ["a": 1, "b": nil]
    #expect(object.count == 1)
    #expect(object.adding(["a": 2, "c": 3]) == ["a": 2, "c": 3])
  }
}
