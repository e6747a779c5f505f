// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import Oppi

@Suite struct ShortcutPromptTests {
  private let name: ShortcutName

  init() throws {
    name = try #require(ShortcutName("deploy"))
  }

  private func prompt(
    _ text: String,
    defaults: [String: String] = [:],
    with values: [String: String] = [:]
  ) throws(OppiError) -> ShortcutPrompt {
    var shortcut = Shortcut()
    shortcut.prompt = text
    shortcut.variables = defaults
    shortcut.readsInput = text.contains("{{input}}")
    return try ShortcutPrompt(of: NamedShortcut(name: name, shortcut: shortcut), with: values)
  }

  @Test("a given value replaces the default value")
  func values() throws {
    let prompt = try prompt("{{a}} {{b}}", defaults: ["a": "1", "b": "2"], with: ["b": "3"])
    #expect(try prompt.text(input: nil, check: "") == "1 3")
  }

  @Test("standard input is inserted as text, without control characters")
  func input() throws {
    let prompt = try prompt("see: {{input}}")
    let input = Array("{{a}}\u{1B}\n".utf8)
    #expect(try prompt.text(input: input, check: "").hasPrefix("see: {{a}}"))
    #expect(try !prompt.text(input: [0x1B], check: "").contains("\u{1B}"))
  }

  @Test("a missing value fails before standard input is read, and the error names an unused value")
  func missing() {
    #expect(throws: OppiError.missingValues(["a", "b"], unused: "c", of: name)) {
      try prompt("{{a}} {{b}} {{input}}", with: ["c": "1"])
    }
  }

  @Test("a value without a placeholder fails")
  func unknown() {
    #expect(throws: OppiError.noSuchPlaceholder("c", in: name)) {
      try prompt("go", with: ["c": "1"])
    }
  }

  @Test("standard input cannot be given as a value")
  func inputAsValue() {
    #expect(throws: OppiError.inputAsVariable) {
      try prompt("{{input}}", with: ["input": "x"])
    }
  }

  @Test("a prompt that is empty with its values fails")
  func empty() throws {
    let prompt = try prompt("{{input}}")
    #expect(throws: OppiError.emptyPrompt(name)) {
      try prompt.text(input: [0x20, 0x0A], check: "")
    }
  }
}
