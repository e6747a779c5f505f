// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiText
import Testing

@testable import OppiClient
@testable import OppiPrompts

/// The members of a shortcut's file.
@Suite struct ShortcutMemberTests {
  /// Two shortcuts that together have every member, each other than by default.
  private static let documents: [JSONObject] = [
    [
      "workspace": "studio/api", "prompt": "check {{branch}} {{input}} {{when}}",
      "variables": ["branch": "main"], "input": true, "session": "same", "after": "stop",
      "model": "a/b", "thinking": "high", "title": "Checks", "wait": true, "on-ask": "fail",
      "on-limit": "wait", "max-cost": .double(2.5), "schema": ["type": "object"],
      "verify": "git diff --quiet", "verify-retries": 2, "when": "git status",
      "when-is": "changed", "then": "7", "timeout": "10m",
    ],
    ["prompt": "check", "queue": true, "expires": "2h"],
  ]

  @Test("a shortcut is written as it was read, with its members in any order")
  func roundTrip() throws {
    for document in Self.documents {
      let shortcut = try Shortcut(json: .object(document), promptFile: nil)
      #expect(Shortcut.shape.object(of: shortcut) == document)
      let reversed = JSONObject(document.reversed().map { ($0.key, $0.value) })
      #expect(try Shortcut(json: .object(reversed), promptFile: nil) == shortcut)
    }
    let names = Set(Self.documents.flatMap { $0.map(\.key) })
    #expect(Set(Shortcut.shape.rows.map(\.term)) == names, "each member is tested")
  }

  @Test("a number counts as its text where a word is expected; null is no value")
  func words() throws {
    let json: JSONValue = ["prompt": "x", "timeout": 30, "title": .null, "when-is": .null]
    let shortcut = try Shortcut(json: json, promptFile: nil)
    #expect(shortcut.timeout == .seconds(30) && shortcut.title == nil)
  }

  @Test(
    "a defect of a member is named",
    arguments: [
      ("workspace", "", "expects a string"), ("prompt", 1, "expects a string"),
      ("variables", "x", "expects an object with strings"),
      ("variables", ["1a": "x"], "expects strings named like placeholders"),
      ("variables", ["a": 1], "expects strings named like placeholders"),
      ("input", 1, "expects true or false"), ("session", "old", "expects new or same"),
      ("thinking", "much", "expects off, minimal, low, medium, high, xhigh or max"),
      ("max-cost", 0, "expects a number of dollars"),
      ("max-cost", "1", "expects a number of dollars"),
      ("schema", 1, "is not an object"),
      ("verify-retries", -1, "expects a number from 0 to"),
      ("verify-retries", "1", "expects a number from 0 to"),
      ("then", "a b", "expects up to 64 letters"),
      ("expires", "soon", "expects a duration such as"), ("timeout", 0, "expects more than 0s"),
      ("promptFile", "x.txt", "names a file that does not exist"),
      ("until", "x", "is unknown; known members: workspace, prompt, variables"),
    ] as [(String, JSONValue, String)]
  )
  func defects(name: String, value: JSONValue, words: String) throws {
    let json = JSONValue.object(["prompt": "x", name: value])
    let error = #expect(throws: ArgumentValueError.self) {
      try Shortcut(json: json, promptFile: nil)
    }
    let start = "has a member '\(name)' that \(words)"
    #expect(error?.message.hasPrefix(start) == true, "\(String(describing: error))")
  }

  @Test("a member without the one that it belongs to is a defect, also if it has its default")
  func lonely() throws {
    for (name, value, other) in [
      ("when-is", "succeeds", "when"), ("when-is", "changed", "when"),
      ("verify-retries", 1, "verify"),
    ] as [(String, JSONValue, String)] {
      let error = #expect(throws: ArgumentValueError.self) {
        try Shortcut(json: .object(["prompt": "x", name: value]), promptFile: nil)
      }
      #expect(error?.message == "cannot have \"\(name)\" without \"\(other)\"")
    }
  }
}
