// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiTurns

@Suite struct ConversationMarkdownTests {
  private static let now = Timestamp(seconds: 2_000_000_000)

  private func text(_ trace: JSONValue, name: JSONValue = "Look around") throws -> String {
    let session = try #require(
      Session(
        json: [
          "id": "s1", "status": "ready", "messageCount": 1, "name": name, "model": "a/b_c",
          "createdAt": 1_000_000_000_000, "lastActivity": 1_000_000_060_000,
        ]
      )
    )
    let transcript = Transcript(
      trace: trace,
      session: session,
      events: [],
      isAtWork: false,
      at: Self.now
    )
    return ConversationMarkdown(
      session: session,
      place: "demo",
      server: "studio",
      turns: transcript.turns(last: 9)
    )
    .text
  }

  private static func call(_ output: String, tool: String = "bash") -> [JSONValue] {
    [
      ["type": "toolCall", "id": "t", "tool": .string(tool), "args": ["command": "ls `x` <a>"]],
      [
        "type": "toolResult", "toolCallId": "t", "toolName": .string(tool),
        "output": .string(output), "isError": false,
      ],
    ]
  }

  @Test("a conversation has its facts, prompts, calls and answers")
  func document() throws {
    let trace: [JSONValue] =
      [["type": "user", "text": "look\n````\naround"], ["type": "assistant", "text": "Well."]]
      + Self.call("one\ntwo\n") + [["type": "assistant", "text": "# Done\n- a"]]
    #expect(
      try text(.array(trace)) == """
        # Look around

        - **Session:** `s1`
        - **Workspace:** demo
        - **Server:** studio
        - **Model:** `a/b_c`
        - **Created:** 2001-09-09T01:46:40Z
        - **Last active:** 2001-09-09T01:47:40Z

        ## Turn 1

        **Prompt**

        `````text
        look
        ````
        around
        `````

        Well.

        <details><summary>Call 1: <code>bash: ls `x` &lt;a&gt;</code> (done)</summary>

        ```text
        one
        two
        ```

        </details>

        # Done
        - a
        """
    )
  }

  @Test("a turn that did not succeed says so, with the reason")
  func failure() throws {
    let text = try text([["type": "user", "text": "go"]])
    #expect(text.contains("\n## Turn 1 (unknown)\n"))
    #expect(
      text.hasSuffix(
        "**Unknown**\n\n```\nthe conversation ends in the middle of the turn\n```"
      )
    )
  }

  @Test("a call without output is one line")
  func noOutput() throws {
    let trace: [JSONValue] =
      [["type": "user", "text": "go"]] + Self.call("") + [["type": "assistant", "text": "a"]]
    #expect(try text(.array(trace)).contains("\nCall 1: ``bash: ls `x` <a>`` (done)\n"))
  }

  @Test(
    "of a long output the middle is left out",
    arguments: [(200, 0), (201, 1), (4000, 3800)]
  )
  func long(count: Int, missing: Int) throws {
    let output = (1...count).map(String.init).joined(separator: "\n")
    let trace: [JSONValue] =
      [["type": "user", "text": "go"]] + Self.call(output) + [["type": "assistant", "text": "a"]]
    let text = try text(.array(trace))
    let words = missing == 1 ? "1 line" : "\(missing) lines"
    #expect(text.contains("\n100\n… \(words) left out …\n") == (missing > 0))
    #expect(text.contains("\n\(count)\n```\n"))
  }

  @Test("a long line of an output is cut")
  func longLine() throws {
    let trace: [JSONValue] =
      [["type": "user", "text": "go"]] + Self.call(String(repeating: "x", count: 1001))
      + [["type": "assistant", "text": "a"]]
    let cut = String(repeating: "x", count: 1000)
    #expect(try text(.array(trace)).contains("\n\(cut)…\n"))
  }

  @Test("no title, prompt, call or output ends its part of the document")
  func hostile() throws {
    let text = "a\n```\n</details>\n~~~\n</summary><b>\n# x\n"
    let trace: [JSONValue] =
      [["type": "user", "text": .string(text)]] + Self.call(text, tool: "</code><b>\n")
      + [["type": "assistant", "text": .string("<b>a</b>\n\(Hostile.text)")]]
    let document = try self.text(.array(trace), name: .string("<b>*x*\n# y `z`"))
    #expect(document.hasPrefix("# \\<b\\>\\*x\\* \\# y \\`z\\`\n"))
    #expect(document.contains("\n````text\n\(text)````\n"))
    #expect(document.contains("<code>&lt;/code&gt;&lt;b&gt;"))
    #expect(document.split(separator: "</summary>\n").count == 2)
    #expect(document.contains("\n<b>a</b>\n"))
    #expect(document.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.isTypeable })
  }

  @Test("the Markdown of a message is as written, and its code blocks end with it")
  func markdown() throws {
    let message = "# a\n\n- b\n  ```\n  c\n  ```\n\n````js\n```\n<d>"
    let trace: [JSONValue] = [
      ["type": "user", "text": "go"], ["type": "assistant", "text": .string(message)],
    ]
    let document = try text(.array(trace + trace))
    let rest = "## Turn 2\n\n**Prompt**\n\n```text\ngo\n```\n\n\(message)\n````"
    #expect(document.contains("\n```text\ngo\n```\n\n\(message)\n````\n\n## Turn 2\n"))
    #expect(document.hasSuffix(rest))
  }
}
