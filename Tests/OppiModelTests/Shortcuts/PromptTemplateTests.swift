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

  @Test("names are replaced wherever they stand, with spaces around them or not")
  func replaces() throws {
    #expect(try Self.fill("{{a}} and {{ b }}{{a}}", ["a": "1", "b": "2"]) == "1 and 21")
    #expect(PromptTemplate("{{b}} {{a}} {{b}}").names == ["b", "a"])
  }

  @Test("a value is text: what looks like a name in it stays")
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

  @Test("a name without a value, and a value without a name, are told")
  func failures() throws {
    #expect(throws: PromptTemplate.Failure.missing(["b"])) {
      try Self.fill("{{a}}{{b}}", ["a": "1", "c": "2"])
    }
    #expect(throws: PromptTemplate.Failure.unknown(["b", "c"])) {
      try Self.fill("{{a}}", ["a": "1", "c": "2", "b": "3"])
    }
  }

  @Test("a default counts where nothing is given, and need not be used")
  func defaults() throws {
    #expect(try Self.fill("{{a}}", [:], defaults: ["a": "1", "b": "2"]) == "1")
    #expect(try Self.fill("{{a}}", ["a": ""], defaults: ["a": "1"]) == "")
  }

  @Test("a long text without names is read in no time")
  func long() throws {
    let text = String(repeating: "{{ {", count: 200_000)
    #expect(try Self.fill(text, [:]) == text)
  }
}
