// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

@Suite struct PlainActivityTests {
  @Test(
    "a turn as plain text matches its snapshot",
    arguments: [
      "02-default-turn", "03-permission-allow", "04-permission-deny", "10-ask-answered",
      "105-queue-two-clients", "12-extension-dialogs", "13-fail-message", "25-writefile",
      "26-spawn-child", "51-bigtool", "made-retry",
      "made-stop-failed", "made-two-tools",
    ]
  )
  func snapshots(name: String) throws {
    let recording = try Recording(name)
    let id = try #require(recording.sessionIDs.first)
    var plain = PlainActivity()
    let lines = Replay(recording, sessionID: id).steps.flatMap { plain.lines(for: $0.change) }
    try Snapshot.check((lines + plain.flush()).joined(separator: "\n") + "\n", "plain-\(name).txt")
  }

  private func lines(_ changes: ActivityChange...) -> [String] {
    var plain = PlainActivity()
    return changes.flatMap { plain.lines(for: $0) } + plain.flush()
  }

  @Test("pieces are printed as complete lines")
  func gathering() {
    var plain = PlainActivity()
    #expect(plain.lines(for: .text("one ")).isEmpty)
    #expect(plain.lines(for: .text("line\nand ")) == ["answer: one line"])
    #expect(plain.lines(for: .textFinished("one line\nand more")) == ["answer: and "])
    #expect(plain.flush().isEmpty)
  }

  @Test("for a listener, a table that arrives in pieces is printed as records, also at its end")
  func spokenTables() {
    let text = "See:\n\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nx | y\n"
    let expected = [
      "Agent: See:", "Agent: A: 1", "Agent: B: 2", "", "Agent: A: 3", "Agent: B: 4", "Agent: x | y",
    ]
    for size in 1...text.count {
      var plain = PlainActivity(.spoken)
      var lines: [String] = []
      var rest = text[...]
      while !rest.isEmpty {
        lines += plain.lines(for: .text(String(rest.prefix(size))))
        rest = rest.dropFirst(size)
      }
      #expect(lines + plain.flush() == expected, "\(size)")
    }
  }

  @Test("for a listener, a missing fence does not make code of the next message")
  func spokenFence() {
    var plain = PlainActivity(.spoken)
    _ = plain.lines(for: .text("```\na|b\n")) + plain.lines(for: .textFinished("```\na|b\n"))
    #expect(
      plain.lines(for: .text("a|b\n-|-\n1|2\n\n")) == ["Agent: a: 1", "Agent: b: 2"]
    )
  }

  @Test("another kind of text ends the line")
  func kinds() {
    #expect(
      lines(.thinking("hm"), .text("so"), .toolOutput(callID: "t", text: "x\r\n", replaces: false))
        == ["thinking: hm", "answer: so", "output: x"]
    )
  }

  @Test(
    "replaced text is printed again if it was printed before, and corrects its own message only"
  )
  func replaced() {
    #expect(lines(.text("a \u{FFFD}"), .textReplaced("a b")) == ["answer: a b"])
    #expect(
      lines(.text("x\ny"), .textReplaced("x\nz\n"), .textFinished("x\nz\n"))
        == ["answer: x", "answer, corrected:", "answer: x", "answer: z"]
    )
    #expect(lines(.thinking("hm"), .textReplaced("so")) == ["thinking: hm", "answer: so"])
    #expect(
      lines(.text("x\n"), .textFinished("x\n"), .textReplaced("y")) == ["answer: x", "answer: y"]
    )
  }

  @Test("long output is truncated until its own call ends")
  func flood() {
    let flood = String(repeating: "x\n", count: 500)
    let output = ActivityChange.toolOutput(callID: "t", text: flood, replaces: false)
    func end(_ id: String) -> ActivityChange {
      .toolFinished(ToolCallActivity(id: id, tool: "bash", arguments: .null, state: .succeeded))
    }
    let once = lines(output, output)
    #expect(once.count == 21 && once.last == "output: truncated")
    #expect(lines(output, end("t"), output).count == 43)
    let beside = lines(output, end("u"), output)
    #expect(beside.suffix(2) == ["output: truncated", "done: bash"] && beside.count == 22)
  }

  @Test("an endless line is printed in pieces")
  func endlessLine() {
    let piece = ActivityChange.text(String(repeating: "x", count: 3000))
    #expect(lines(piece, piece).count == 1)
    #expect(lines(piece, piece, piece, piece).count == 2)
  }

  @Test("each outcome has its own words")
  func outcomes() {
    let outcomes: [TurnOutcome] = [
      .succeeded(answer: "x"), .empty, .failed("why"), .stopped(reason: nil),
      .stopped(reason: "late"), .dropped, .unknown(reason: nil), .unknown(reason: "lost"),
    ]
    #expect(
      outcomes.map { PlainActivity.line(for: .ended($0, own: true)) } == [
        "turn finished", "turn finished without an answer", "turn failed: why", "turn stopped",
        "turn stopped: late", "turn removed from the queue before it started",
        "turn ended, outcome unknown",
        "turn ended, outcome unknown: lost",
      ]
    )
  }

  @Test("a past change is marked and does not split a line")
  func past() {
    var plain = PlainActivity()
    #expect(plain.lines(for: .text("now")).isEmpty)
    #expect(
      plain.lines(for: .text("one\ntwo"), isPast: true) == [
        "answer: now", "earlier: answer: one", "earlier: answer: two",
      ]
    )
    #expect(plain.lines(for: .textFinished("one\ntwo"), isPast: true).isEmpty)
    let end = ActivityChange.ended(.empty)
    #expect(plain.lines(for: end, isPast: true) == ["turn finished without an answer"])
  }

  @Test("a loss, a note and an end are reported as new, however late")
  func lateNews() {
    var plain = PlainActivity()
    let message = QueuedMessage(id: "q", kind: .followUp, text: "go")
    let changes: [ActivityChange] = [
      .queueDropped([message]), .queueLost([message]), .sessionEnded(nil), .notice("saved"),
      .turnStarted(isOwn: false),
    ]
    #expect(
      changes.flatMap { plain.lines(for: $0, isPast: true) } == [
        "removed from the queue: go", "lost from the queue, may have run: go", "session ended",
        "notice: saved", "earlier: turn started",
      ]
    )
  }

  @Test("statuses and dropped messages have one line each, and a question shows its placeholder")
  func companions() {
    let message = QueuedMessage(id: "q", kind: .followUp, text: "go\non")
    let question = UserQuestion.sample("input", ["title": "Your name", "placeholder": "Ada"])
    #expect(
      lines(
        .statusChanged(key: "build", text: "running"),
        .statusChanged(key: "build", text: nil),
        .queueDropped([message]),
        .question(question)
      ) == [
        "status: build: running", "status: build: cleared", "removed from the queue: go on",
        "waiting for an answer: Your name (e.g. Ada)",
      ]
    )
  }
}

@Suite struct ActivityLineTests {
  private static func line(_ activity: Turn, width: Int = 60) -> String {
    ActivityLine.line(
      for: activity,
      of: "Ab12",
      width: width,
      now: Timestamp(milliseconds: 12_000)
    ).plain
  }

  @Test("the line names the session, its activity and the elapsed time")
  func words() throws {
    var reducer = ActivityReducer(sessionID: "S")
    func receive(_ json: JSONValue) throws {
      let message = try #require(ServerMessage(json: json))
      _ = reducer.apply(message, at: Timestamp(milliseconds: 0))
    }
    try receive(["type": "agent_start", "sessionId": "S", "seq": 1])
    let working = Self.line(reducer.activity)
    #expect(working.hasPrefix("▶ session Ab12: Thinking"))
    #expect(working.hasSuffix(" 12 s"))
    #expect(DisplayWidth.of(working) == 60)
    try receive([
      "type": "permission_request", "id": "p", "sessionId": "S", "tool": "bash",
      "input": ["command": "ls"],
    ])
    #expect(Self.line(reducer.activity).hasPrefix("! session Ab12: Waiting for approval"))
  }

  @Test("the line fits any width", arguments: [0, 1, 10, 25])
  func narrow(width: Int) {
    #expect(DisplayWidth.of(Self.line(Turn(), width: width)) <= width)
  }
}
