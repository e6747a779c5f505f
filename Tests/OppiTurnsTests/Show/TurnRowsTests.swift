// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiTurns

@Suite struct TurnRowsTests {
  private static let now = Timestamp(seconds: 2_000_000_000)

  private func transcript(_ trace: JSONValue, isAtWork: Bool = false) throws -> Transcript {
    let session = try #require(Session(json: ["id": "s1", "status": "ready", "messageCount": 1]))
    return Transcript(
      trace: trace,
      session: session,
      events: [],
      isAtWork: isAtWork,
      at: Self.now
    )
  }

  private static let trace: JSONValue = [
    ["type": "user", "text": "look\naround"], ["type": "assistant", "text": "**Well.**"],
    ["type": "toolCall", "id": "t", "tool": "bash", "args": ["command": "ls"]],
    [
      "type": "toolResult", "toolCallId": "t", "toolName": "bash",
      "output": "1\n2\n3\n4\nCommand exited with code 2", "isError": true,
    ],
    ["type": "toolCall", "id": "u", "tool": "read", "args": ["path": "a"]],
    ["type": "toolResult", "toolCallId": "u", "toolName": "read", "output": "x", "isError": false],
    ["type": "assistant", "text": "# Done\n- a"],
  ]

  private func rows(_ transcript: Transcript, width: Int = 30) -> [String] {
    TurnRows.rows(of: transcript.turns(last: 9), width: width, now: Self.now).map(\.plain)
  }

  @Test("a turn has its prompt, texts, numbered calls and end")
  func turn() throws {
    let rows = rows(try transcript(Self.trace))
    #expect(
      rows == [
        "▌ look", "▌ around", "", "Well.", "", "✗ #1 bash  ls  failed  5 lines", "    3", "    4",
        "    exit 2", "✓ #2 read  a            1 line", "", "Done", "• a", "", "✓ Finished",
      ]
    )
  }

  @Test(
    "a message has a bar at each row, and the time at the right if it fits",
    arguments: [
      (20, ["▌ one two      14:01", "▌", "▌ three"]), (16, ["▌ one two  14:01", "▌", "▌ three"]),
      (15, ["▌ one two", "▌", "▌ three"]), (8, ["▌ one", "▌ two", "▌", "▌ three"]),
    ]
  )
  func message(width: Int, rows: [String]) {
    let message = TurnRows.message("one two\n\nthree", at: "14:01", width: width)
    #expect(message.map(\.plain) == rows)
    #expect(message.allSatisfy { $0.pieces.first?.style == .accent })
    let wide = TurnRows.message("one", at: "14:01", width: 300)
    #expect(wide.map(\.plain.count) == [ToolCallRows.maximumWidth])
  }

  @Test("a listener hears the question that a running call asks")
  func spokenQuestion() throws {
    let part: JSONValue = ["id": "a", "question": "Which tests?", "options": ["all"]]
    let trace: JSONValue = [
      ["type": "user", "text": "go"],
      ["type": "toolCall", "id": "a", "tool": "ask", "args": ["questions": [part]]],
    ]
    let turns = try transcript(trace, isAtWork: true).turns(last: 1)
    let lines = turns.flatMap { SpokenTurn.lines(of: $0, at: Self.now) }.map(\.plain)
    #expect(
      lines.suffix(2) == [
        "Question: waiting for an answer: Which tests? (all)", "turn waiting for an answer",
      ]
    )
  }

  @Test("a running turn is marked, and a cut-off turn has the reason for its unknown outcome")
  func ends() throws {
    let prompt: JSONValue = [["type": "user", "text": "go"]]
    #expect(rows(try transcript(prompt, isAtWork: true)).last == "▶ Running")
    let unknown = rows(try transcript(prompt), width: 80)
    #expect(
      unknown == [
        "▌ go", "", "● Unknown", "the conversation ends in the middle of the turn",
      ]
    )
  }

  @Test("plain text keeps the Markdown as written")
  func text() throws {
    let last = try #require(try transcript(Self.trace).last)
    #expect(
      TurnText.text(of: last) == """
        › look
        around

        **Well.**

        #1 bash: ls (failed)

        #2 read: a (done)

        # Done
        - a

        (Finished)
        """
    )
  }

  @Test("a call is shown with its input and all of its output")
  func call() throws {
    let call = try #require(try transcript(Self.trace).call(1))
    #expect(
      CallRows.rows(of: call, width: 20).map(\.plain) == [
        "✗ #1 bash  failed", "  ls", "1", "2", "3", "4", "Command exited with ", "↪ code 2",
      ]
    )
  }

  @Test("of an edit that is shown in full, no line is left out")
  func edit() {
    let lines = (1...60).map(String.init)
    let old = lines.joined(separator: "\n")
    let new = old.replacing("30", with: "\u{200B}thirty")
    let call = ToolCallActivity(
      id: "e",
      tool: "edit",
      arguments: [
        "path": "a.txt", "odd": 1,
        "edits": [["oldText": .string(old), "newText": .string(new)], ["oldText": "alone"]],
      ],
      state: .failed
    )
    let rows = CallRows.rows(of: call, width: 40).map(\.plain)
    #expect(rows.prefix(3) == ["✗ edit  failed", "  a.txt", "    1"])
    #expect(rows[30...33] == ["    29", "  − 30", #"  + \u{200B}thirty"#, "    31"])
    #expect(rows.suffix(5) == ["    60", "  - alone", "  odd:", "  1", "no result"])
    let spoken = CallRows.rows(of: call, width: 40, minus: "-").map(\.plain)
    #expect(spoken.contains("  - 30") && !spoken.joined().contains("−"))
  }

  @Test("no row is wider than the terminal or contains control characters")
  func hostile() throws {
    let text = JSONValue.string(Hostile.text)
    let trace: JSONValue = [
      ["type": "user", "text": text], ["type": "assistant", "text": text],
      ["type": "toolCall", "id": "t", "tool": text, "args": ["command": text]],
      ["type": "toolResult", "toolCallId": "t", "toolName": text, "output": text],
      ["type": "assistant", "text": text],
    ]
    let transcript = try transcript(trace)
    let call = try #require(transcript.call(1))
    for width in [0, 8, 20, 200] {
      let all =
        rows(transcript, width: width) + CallRows.rows(of: call, width: width).map(\.plain)
      #expect(all.allSatisfy { DisplayWidth.of($0) <= max(8, width) })
      #expect(all.joined().unicodeScalars.allSatisfy { $0.isTypeable })
    }
  }
}
