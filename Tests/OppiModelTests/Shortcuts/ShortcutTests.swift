// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ShortcutDefectTests {
  private static func shortcut(
    _ prompt: String = "go",
    _ change: (inout Shortcut) -> Void = { _ in }
  ) -> Shortcut {
    var shortcut = Shortcut()
    shortcut.prompt = prompt
    change(&shortcut)
    return shortcut
  }

  @Test("a shortcut whose members fit together has no defect")
  func sound() {
    #expect(Self.shortcut().defect == nil)
    #expect(Self.shortcut("{{input}}") { $0.readsInput = true }.defect == nil)
    #expect(Self.shortcut("on {{branch}}") { $0.variables = ["branch": "main"] }.defect == nil)
    let queueing = Self.shortcut { shortcut in
      shortcut.isQueueing = true
      shortcut.expiry = .seconds(60)
    }
    #expect(queueing.defect == nil)
    #expect(Self.shortcut { $0.onAsk = .wait }.defect == nil)
  }

  @Test("a prompt must have text, and {{input}} only if the shortcut reads standard input")
  func prompts() {
    #expect(Self.shortcut(" \n").defect == "has no prompt")
    #expect(Self.shortcut("a\0b").defect == "has a NUL character in its prompt")
    #expect(
      Self.shortcut("{{input}}").defect
        == "has {{input}} in its prompt, but does not read standard input (\"input\": true)"
    )
    #expect(
      Self.shortcut { $0.readsInput = true }.defect
        == "reads standard input (\"input\": true), but its prompt has no {{input}}"
    )
  }

  @Test("a variable must be a placeholder other than {{input}}")
  func variables() {
    let input = Self.shortcut("{{input}}") { shortcut in
      shortcut.readsInput = true
      shortcut.variables = ["input": "x"]
    }
    #expect(input.defect == "has a variable 'input', which is reserved for standard input")
    let unused = Self.shortcut { $0.variables = ["b": "1", "a": "2"] }
    #expect(unused.defect == "has a variable 'a', but its prompt has no {{a}}")
  }

  @Test("members that require or exclude each other are checked")
  func combinations() {
    let both = Self.shortcut { shortcut in
      shortcut.isWaiting = true
      shortcut.isQueueing = true
    }
    #expect(both.defect == "cannot have both \"wait\" and \"queue\"")
    #expect(
      Self.shortcut { $0.expiry = .seconds(60) }.defect
        == "cannot have \"expires\" without \"queue\": true"
    )
    #expect(
      Self.shortcut { $0.onAsk = .deny }.defect
        == "cannot have \"on-ask\" without \"wait\": true"
    )
  }

  @Test("a run needs the placeholders without a default value, except input")
  func needed() throws {
    let shortcut = Self.shortcut("{{b}} {{a}} {{b}} {{c}} {{input}}") { shortcut in
      shortcut.readsInput = true
      shortcut.variables = ["c": "1"]
    }
    let name = try #require(ShortcutName("deploy"))
    #expect(NamedShortcut(name: name, shortcut: shortcut).needed == ["b", "a"])
  }
}

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
