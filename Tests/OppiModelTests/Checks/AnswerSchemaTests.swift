// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import Testing

@Suite struct AnswerSchemaTests {
  private static func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
  }

  private static func mismatch(_ value: String, _ schema: String) throws -> String? {
    try AnswerSchema(try json(schema)).mismatch(of: try json(value))
  }

  @Test(
    "a value matches its schema",
    arguments: [
      ("1", #"{"type":"integer"}"#), ("1.0", #"{"type":"integer"}"#), ("1", #"{"type":"number"}"#),
      ("null", #"{"type":["string","null"]}"#), ("true", #"{"type":"boolean"}"#), ("5", "true"),
      ("5", "{}"), ("5", #"{"minimum":5,"maximum":5}"#), (#""5""#, #"{"minimum":9}"#),
      (#""äö""#, #"{"minLength":2,"maxLength":2}"#), ("[1,2]", #"{"minItems":2,"maxItems":2}"#),
      (#"{"a":1,"b":2}"#, #"{"required":["a"],"properties":{"a":{"type":"integer"}}}"#),
      (#"{"a":1}"#, #"{"properties":{"a":true},"additionalProperties":false}"#),
      ("[1,2]", #"{"items":{"type":"integer"}}"#), ("[]", #"{"items":false}"#),
      (#"{"b":[1],"a":2}"#, #"{"const":{"a":2.0,"b":[1]}}"#), ("null", #"{"const":null}"#),
      ("[1,2.0]", #"{"const":[1.0,2]}"#), ("[]", #"{"enum":[[1],[]]}"#),
      (#""x""#, #"{"enum":["y","x"]}"#), ("1", #"{"title":"t","description":"d","default":2}"#),
    ]
  )
  func matches(value: String, schema: String) throws {
    #expect(try Self.mismatch(value, schema) == nil)
  }

  @Test(
    "a mismatch is stated with its place",
    arguments: [
      ("1.5", #"{"type":"integer"}"#, "the value is not of type integer"),
      ("1", #"{"type":["string","null"]}"#, "the value is not of type string or null"),
      ("4", #"{"minimum":5}"#, "the value is less than 5"),
      ("6", #"{"maximum":5}"#, "the value is more than 5"),
      (#""a""#, #"{"minLength":2}"#, "the value is shorter than 2"),
      (#""abc""#, #"{"maxLength":2}"#, "the value is longer than 2"),
      ("[]", #"{"minItems":1}"#, "the value has fewer elements than 1"),
      ("[1,2]", #"{"maxItems":1}"#, "the value has more elements than 1"),
      ("{}", #"{"required":["a"]}"#, "the value has no member 'a'"),
      (
        #"{"b":1}"#, #"{"properties":{"a":true},"additionalProperties":false}"#, "/b is not allowed"
      ),
      (
        #"{"a":{"b":[1,"x"]}}"#,
        #"{"properties":{"a":{"properties":{"b":{"items":{"type":"integer"}}}}}}"#,
        "/a/b/1 is not of type integer"
      ),
      (#"{"a":null}"#, #"{"properties":{"a":{"type":"integer"}}}"#, "/a is not of type integer"),
      ("2", #"{"const":1}"#, "the value is not 1"),
      ("0", #"{"const":null}"#, "the value is not null"),
      ("2", #"{"enum":[1,3]}"#, "the value is none of [1,3]"),
      ("1", "false", "the value is not allowed"),
      (#"{"a":1}"#, #"{"const":{"a":1,"b":2}}"#, #"the value is not {"a":1,"b":2}"#),
      ("true", #"{"const":1}"#, "the value is not 1"),
      ("[1]", #"{"const":[1,2]}"#, "the value is not [1,2]"),
      ("[1,2]", #"{"const":[1]}"#, "the value is not [1]"),
      ("[2,1]", #"{"const":[1,2]}"#, "the value is not [1,2]"),
      ("[]", #"{"enum":[[1],[2]]}"#, "the value is none of [[1],[2]]"),
    ] as [(String, String, String)]
  )
  func mismatches(value: String, schema: String, words: String) throws {
    #expect(try Self.mismatch(value, schema) == words)
  }

  @Test(
    "a schema that would not be checked as a whole is refused",
    arguments: [
      (#"{"pattern":"x"}"#, "has the keyword 'pattern', which is not supported"),
      (
        #"{"properties":{"a":{"oneOf":[]}}}"#,
        "has the keyword 'oneOf', which is not supported at /properties/a"
      ),
      (
        #"{"items":{"format":"date"}}"#,
        "has the keyword 'format', which is not supported at /items"
      ),
      (#"{"type":"date"}"#, "has an invalid value for 'type'"),
      (#"{"type":[]}"#, "has an invalid value for 'type'"),
      (#"{"minLength":-1}"#, "has an invalid value for 'minLength'"),
      (#"{"minimum":"1"}"#, "has an invalid value for 'minimum'"),
      (#"{"enum":[]}"#, "has an invalid value for 'enum'"),
      (#"{"additionalProperties":{}}"#, "has an invalid value for 'additionalProperties'"),
      ("1", "is not an object"), (#"{"properties":{"a":1}}"#, "is not an object at /properties/a"),
    ]
  )
  func refused(schema: String, words: String) throws {
    let json = try Self.json(schema)
    let defect = #expect(throws: AnswerSchema.Defect.self) { try AnswerSchema(json) }
    #expect(defect?.words == words)
  }

  @Test("a schema of more than 32 levels is refused")
  func deep() throws {
    func schema(_ depth: Int) -> JSONValue {
      depth == 0 ? [:] : ["items": schema(depth - 1)]
    }
    #expect(throws: Never.self) { try AnswerSchema(schema(31)) }
    let defect = #expect(throws: AnswerSchema.Defect.self) { try AnswerSchema(schema(32)) }
    #expect(defect?.words == "has too many levels")
  }

  @Test(
    "the JSON of an answer is the whole answer or its only fenced block, unchanged",
    arguments: [
      (#" {"a": 1.50} "#, #"{"a": 1.50}"#), ("Here:\n```json\n[1, 2]\n```\nDone.", "[1, 2]"),
      ("```\n\"x\"\n```", "\"x\""),
    ]
  )
  func json(answer: String, text: String) { #expect(JSONInAnswer(in: answer)?.text == text) }

  @Test(
    "an answer with other text, no block or two blocks has no JSON",
    arguments: [
      "It is 5", "", "```json\n[1]\n```\n```json\n[2]\n```", "```json\n[1]", "```json\n[1\n```",
      "{\"a\":1} {\"b\":2}",
    ]
  )
  func noJSON(answer: String) { #expect(JSONInAnswer(in: answer) == nil) }
}
