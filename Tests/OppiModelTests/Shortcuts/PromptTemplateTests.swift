// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct PromptTemplateTests {
  private static func fill(
    _ text: String,
    _ values: [String: String],
    defaults: [String: String] = [:]
  ) throws -> String {
    try PromptTemplate(text).filled(with: values, defaults: defaults)
  }

  @Test("placeholders are replaced everywhere, with or without spaces")
  func replaces() throws {
    #expect(try Self.fill("{{a}} and {{ b }}{{a}}", ["a": "1", "b": "2"]) == "1 and 21")
    #expect(PromptTemplate("{{b}} {{a}} {{b}}").names == ["b", "a"])
  }

  @Test("a value is not expanded")
  func onceOnly() throws {
    #expect(try Self.fill("{{a}}{{b}}", ["a": "{{b}}", "b": "{{a}}"]) == "{{b}}{{a}}")
    #expect(try Self.fill("{{{a}}}", ["a": "x"]) == "{x}")
    #expect(try Self.fill("{{a}}b}}", ["a": "{{"]) == "{{b}}")
  }

  @Test(
    "other braces are text",
    arguments: [
      "", "{", "{{", "{{}}", "{{ }}", "{{a", "{{a}", "{ {a}}", "{{a b}}", "{{a.b}}", "{{1a}}",
      "${{ matrix.os }}", "{{a\n}}", "{{ä}}", "}}{{", "{{\u{301}}}",
      "{{" + String(repeating: "a", count: 65) + "}}",
    ]
  )
  func text(text: String) throws {
    #expect(PromptTemplate(text).names == [])
    #expect(try Self.fill(text, [:]) == text)
  }

  @Test("missing values and unknown names are reported")
  func failures() throws {
    #expect(throws: PromptTemplate.Failure.missing(["b"])) {
      try Self.fill("{{a}}{{b}}", ["a": "1", "c": "2"])
    }
    #expect(throws: PromptTemplate.Failure.unknown(["b", "c"])) {
      try Self.fill("{{a}}", ["a": "1", "c": "2", "b": "3"])
    }
  }

  @Test("a default applies if no value is given, and may be unused")
  func defaults() throws {
    #expect(try Self.fill("{{a}}", [:], defaults: ["a": "1", "b": "2"]) == "1")
    #expect(try Self.fill("{{a}}", ["a": ""], defaults: ["a": "1"]) == "")
  }

  @Test("a long text without placeholders is parsed quickly")
  func long() throws {
    let text = String(repeating: "{{ {", count: 200_000)
    #expect(try Self.fill(text, [:]) == text)
  }
}
