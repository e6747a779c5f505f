// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import OppiClient
@testable import OppiPrompts

@Suite struct ShortcutPromptTests {
  private let name: ShortcutName

  init() throws {
    name = try #require(ShortcutName("deploy"))
  }

  /// The prompt of a run with checked values.
  private func prompt(
    _ text: String,
    defaults: [String: String] = [:],
    with values: [String: String] = [:],
    input: [UInt8]? = nil
  ) throws(OppiError) -> String {
    var shortcut = Shortcut()
    shortcut.prompt = text
    shortcut.variables = defaults
    shortcut.readsInput = text.contains("{{input}}")
    let named = NamedShortcut(name: name, shortcut: shortcut)
    try named.check(values)
    return try named.prompt(with: values, input: input, check: "")
  }

  @Test("a given value replaces the default value")
  func values() throws {
    let prompt = try prompt("{{a}} {{b}}", defaults: ["a": "1", "b": "2"], with: ["b": "3"])
    #expect(prompt == "1 3")
  }

  @Test("standard input is inserted as text, without control characters")
  func input() throws {
    let text = "see: {{input}}"
    #expect(try prompt(text, input: Array("{{a}}\u{1B}\n".utf8)).hasPrefix("see: {{a}}"))
    #expect(try !prompt(text, input: [0x1B]).contains("\u{1B}"))
  }

  @Test("a missing value fails before standard input is read, and the error names an unused value")
  func missing() {
    let error = #expect(throws: OppiError.self) {
      try prompt("{{a}} {{b}} {{input}}", with: ["c": "1"])
    }
    let message = "shortcut \(name.text) requires a value for a, b; its prompt has no {{c}}"
    let hint = "set it with: oppi run \(name.text) --var a=... --var b=..."
    #expect(error == OppiError(.usage, message, hints: [hint]))
  }

  @Test("a value without a placeholder fails")
  func unknown() {
    let error = #expect(throws: OppiError.self) { try prompt("go", with: ["c": "1"]) }
    let hint = "show it with: oppi shortcuts show \(name.text)"
    let message = "the prompt of shortcut \(name.text) has no {{c}}"
    #expect(error == OppiError(.usage, message, hints: [hint]))
  }

  @Test("standard input cannot be given as a value")
  func inputAsValue() {
    let error = #expect(throws: OppiError.self) { try prompt("{{input}}", with: ["input": "x"]) }
    #expect(error?.code == .usage)
    #expect(error?.message == "'input' is replaced by standard input and cannot be set with --var")
  }

  @Test("a prompt that is empty with its values fails")
  func empty() throws {
    let message = "the prompt of shortcut \(name.text) is empty"
    #expect(throws: OppiError(.badInput, message)) {
      try prompt("{{input}}", input: [0x20, 0x0A])
    }
  }
}
