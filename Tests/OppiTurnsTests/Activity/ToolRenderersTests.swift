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
      call("spawn_agent", ["message": "look\naround"], details: ["name": "helper"]),
      call("mystery", ["x": 1]),
      call("mystery", [:]),
      call("", .null),
    ].map { CallFacts($0).title }
    #expect(
      titles == [
        "bash: npm test --silent", "read: a.swift", "read: a (lines 10 to 14)",
        "read: a (from line 3)", "read: a (the first 5 lines)", "web_search: swift",
        "web_fetch: https://x.invalid",
        "todo: 1 of 2 done: b", "ask: Why? (and 1 more)", "spawn_agent: helper",
        "spawn_agent: helper: look around",
        #"mystery: {"x":1}"#, "mystery", "tool",
      ]
    )
  }

  @Test("a command that failed shows the end of its output and its exit status")
  func bash() {
    #expect(rows(call("bash", prints: "1\n2\n")).isEmpty)
    let output = "1\n2\n3\noops\n\n\nCommand exited with code 3"
    let failed = call("bash", prints: output, isError: true)
    #expect(rows(failed) == ["3", "oops", "exit 3"])
  }

  @Test("a running call shows its last lines, and an unfinished one fewer")
  func lastLines() {
    var talk = Conversation()
    talk.begin()
    let output = "1\n2\na\tb\r\n\nc\u{1B}[31md\n5\n6\n"
    talk.tell(.says(""), .calls("t", "mystery"), .prints("t", output))
    var call = talk.activity.toolCalls[0]
    #expect(rows(call) == ["2", "a  b", "cd", "5", "6"])
    call.state = .unfinished
    #expect(rows(call) == ["cd", "5", "6"])
  }

  @Test("the output of tools is shown only for errors")
  func files() {
    for tool in ["read", "write", "edit", "web_search", "todo", "mystery"] {
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

  @Test(
    "the size of a result is that of the file, the search, the page or the output",
    arguments: [
      ("bash", "1\n2\n", [:], "2 lines"), ("bash", "(no output)", [:], nil),
      ("bash", "", [:], nil), ("todo", "x", [:], nil), ("mystery", "x", [:], "1 line"),
      ("web_search", "x", ["results": [["title": "A"], ["title": "B"]]], "2 results"),
      ("web_search", "x", ["resultCount": 1], "1 result"), ("web_search", "x", [:], "1 line"),
      ("web_fetch", "x", ["status": 404], "status 404"),
      ("web_fetch", "x", ["statusCode": 500], "status 500"),
      ("edit", "x", ["diff": "-1 a\n+1 b\n+2 c"], "+2 −1"), ("edit", "x", [:], nil),
    ] as [(String, String, JSONValue, String?)]
  )
  func sizes(tool: String, output: String, details: JSONValue, size: String?) {
    var talk = Conversation()
    talk.begin()
    talk.tell(.says(""), .calls("t", tool), .prints("t", output))
    #expect(CallFacts(talk.activity.toolCalls[0]).size == nil)
    talk.tell(.returns("t", tool, details: details))
    #expect(CallFacts(talk.activity.toolCalls[0]).size == size)
  }

  @Test("of output whose start is lost, the size is known")
  func lost() {
    let lost = call("bash", prints: String(repeating: "x\n", count: 10_000))
    #expect(CallFacts(lost).size == "10000 lines")
  }

  @Test("questions show their answers")
  func ask() {
    let answers: JSONValue = ["answers": ["scope": "unit", "extras": ["lint", "docs"]]]
    #expect(rows(call("ask", [:], details: answers)) == ["extras: lint, docs", "scope: unit"])
    #expect(rows(call("ask", [:], details: ["answers": [:]])) == ["not answered"])
  }
}
