// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import TestSupport
import Testing

@testable import OppiTurns

@Suite struct ToolRenderersTests {
  private func call(
    _ tool: String,
    _ arguments: JSONValue,
    state: ToolCallState = .succeeded,
    details: JSONValue = .null
  ) -> ToolCallActivity {
    var call = ToolCallActivity(id: "t", tool: tool, arguments: arguments, state: state)
    call.details = details
    return call
  }

  private func rows(_ call: ToolCallActivity) -> [String] {
    CallFacts(call).rows(width: 60).map(\.plain)
  }

  /// A call with output that has ended.
  private func call(_ tool: String, prints output: String, isError: Bool = false)
    -> ToolCallActivity
  {
    var talk = Conversation()
    talk.begin()
    talk.tell(.says(""), .calls("t", tool), .prints("t", output))
    talk.tell(.returns("t", tool, isError: isError))
    return talk.activity.toolCalls[0]
  }

  @Test("no tool has two renderers")
  func unique() {
    let names = ToolRenderer.all.flatMap { $0.tools }
    #expect(Set(names).count == names.count)
    #expect(ToolRenderer.all.allSatisfy { !$0.tools.isEmpty })
  }

  @Test("the title of a call shows its subject")
  func titles() {
    let titles = [
      call("bash", ["command": "npm test\n--silent"]), call("read", ["path": "a.swift"]),
      call("read", ["path": "a", "offset": 10, "limit": 5]),
      call("read", ["path": "a", "offset": 3]), call("read", ["path": "a", "limit": 5]),
      call("web_search", ["query": "swift"]), call("web_fetch", ["url": "https://x.invalid"]),
      call("todo", ["todos": [["text": "a", "done": true], ["text": "b"]]]),
      call("ask", ["questions": [["question": "Why?"], ["question": "How?"]]]),
      call("spawn_agent", ["name": "helper"]),
      call("spawn_agent", [:], details: ["name": "helper"]), call("mystery", ["x": 1]),
      call("mystery", [:]),
      call("", .null),
    ].map { CallFacts($0).title }
    #expect(
      titles == [
        "bash: npm test --silent", "read: a.swift", "read: a (lines 10 to 14)",
        "read: a (from line 3)", "read: a (the first 5 lines)", "web_search: swift",
        "web_fetch: https://x.invalid",
        "todo: 1 of 2 done", "ask: Why? (and 1 more)", "spawn_agent: helper",
        "spawn_agent: helper",
        #"mystery: {"x":1}"#, "mystery", "tool",
      ]
    )
  }

  @Test("a command shows the end of its output and its exit status")
  func bash() {
    #expect(rows(call("bash", prints: "1\n2\n3\n4\n5\n6\n")) == ["4", "5", "6"])
    let failed = call("bash", prints: "oops\n\n\nCommand exited with code 3", isError: true)
    #expect(rows(failed) == ["oops", "exit 3"])
    let lost = rows(call("bash", prints: String(repeating: "x\n", count: 10_000)))
    #expect(lost.first == "… the end of 10000 lines, 20000 bytes:")
  }

  @Test("the output of file tools is shown only for errors")
  func files() {
    for tool in ["read", "write", "edit"] {
      #expect(rows(call(tool, prints: "whatever")).isEmpty)
      #expect(rows(call(tool, prints: "no such file", isError: true)) == ["no such file"])
    }
  }

  @Test("an edit shows its changes with a few lines of context")
  func edit() {
    let one: JSONValue = ["oldText": "a\nb\nc", "newText": "a\nB\nc"]
    #expect(rows(call("edit", one)) == ["  a", "− b", "+ B", "  c"])
    let two: JSONValue = ["edits": [one, ["oldText": "x", "newText": ""], 3]]
    #expect(rows(call("edit", two)) == ["  a", "− b", "+ B", "  c", "…", "− x"])
    #expect(rows(call("edit", one, state: .running)).isEmpty)
    let lines = (1...50).map(String.init).joined(separator: "\n")
    let long = rows(call("edit", ["oldText": "", "newText": .string(lines)]))
    #expect(long.count == 20)
    #expect(long.last == "… 31 more lines")
    for (count, start) in [(24 * 1024, "− "), (24 * 1024 + 1, "too long to show")] {
      let text = JSONValue.string(String(repeating: "x", count: count))
      let rows = rows(call("edit", ["oldText": text, "newText": ""]))
      #expect(rows.first?.hasPrefix(start) == true, "\(count)")
    }
  }

  @Test("an edit shows the lines that the server reports, or takes their number from it")
  func editNumbers() {
    let one: JSONValue = ["oldText": "a\nb", "newText": "a\nB"]
    let reported: JSONValue = ["diff": "  ...\n 40 y\n 41 z\n 42 a\n-43 b\n+43 B\n 44 c"]
    #expect(
      rows(call("edit", one, details: reported))
        == ["41      z", "42      a", "43    − b", "43    + B", "44      c"]
    )
    let first: JSONValue = ["diff": "- b\n+ B", "firstChangedLine": 8]
    #expect(
      rows(call("edit", one, details: first)) == ["7      a", "8    − b", "8    + B"]
    )
    let two: JSONValue = ["edits": [one, one]]
    #expect(rows(call("edit", two, details: first)).first == "  a")
  }

  @Test("a written file shows its first lines")
  func write() {
    #expect(rows(call("write", ["content": "a\n\tb\n"])) == ["a", "  b"])
    let lines = (1...50).map { "\($0)\n" }.joined()
    let rows = rows(call("write", ["content": .string(lines)]))
    #expect(rows == ["1", "2", "3", "4", "5", "6", "… 44 more lines"])
  }

  @Test("a search shows its results")
  func webSearch() {
    let details: JSONValue = ["results": [["title": "A"], ["url": "https://b.invalid"]]]
    #expect(
      rows(call("web_search", [:], details: details)) == ["2 results", "A", "https://b.invalid"]
    )
    #expect(rows(call("web_search", [:], details: ["resultCount": 1])) == ["1 result"])
    #expect(rows(call("web_search", prints: "1. A\n")) == ["1. A"])
  }

  @Test("a page shows its status and first lines, or its size")
  func webFetch() {
    #expect(rows(call("web_fetch", prints: "\n# Title\n\nText\nMore")) == ["# Title", "Text"])
    for name in ["status", "statusCode"] {
      #expect(rows(call("web_fetch", [:], details: .object([name: 404]))) == ["status 404"])
    }
    #expect(rows(call("web_fetch", prints: String(repeating: "x", count: 9000))) == ["9000 bytes"])
  }

  @Test("an agent that was not started shows why, and not its task")
  func spawnFails() {
    var talk = Conversation()
    talk.begin()
    talk.tell(.says(""), .calls("t", "spawn_agent", ["message": "look around"]))
    talk.tell(.prints("t", "no room"))
    #expect(rows(talk.activity.toolCalls[0]) == ["look around"])
    talk.tell(.returns("t", "spawn_agent", isError: true))
    #expect(rows(talk.activity.toolCalls[0]) == ["no room"])
  }

  @Test("a todo list shows its current item")
  func todo() {
    let list: JSONValue = ["todos": [["text": "a", "done": true], ["text": "b"]]]
    #expect(rows(call("todo", list)) == ["now: b"])
  }

  @Test("questions show their answers")
  func ask() {
    let answers: JSONValue = ["answers": ["scope": "unit", "extras": ["lint", "docs"]]]
    #expect(rows(call("ask", [:], details: answers)) == ["extras: lint, docs", "scope: unit"])
    #expect(rows(call("ask", [:], details: ["answers": [:]])) == ["not answered"])
  }

  @Test("an unknown tool shows its output")
  func unknown() {
    #expect(rows(call("mystery", prints: "a\tb\r\nc\u{1B}[31md\n")) == ["a  b", "cd"])
  }
}
