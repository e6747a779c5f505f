// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import TestSupport
import Testing

@testable import OppiTurns

@Suite struct TurnScrollTests {
  private var scroll = TurnScroll(width: 60)

  private mutating func tell(
    _ changes: ActivityChange...,
    in activity: Turn = Turn()
  ) -> [String] {
    changes.flatMap { scroll.rows(for: $0, in: activity) }.map(\.plain)
  }

  private static func call(_ state: ToolCallState = .succeeded) -> ToolCallActivity {
    ToolCallActivity(id: "1", tool: "bash", arguments: ["command": "ls"], state: state)
  }

  private static func row(_ left: String, _ right: String) -> String {
    left + String(repeating: " ", count: 60 - left.count - right.count) + right
  }

  @Test("finished blocks are returned once, and the rest is live")
  mutating func blocks() {
    #expect(tell(.text("one\n\ntw")) == ["one"])
    #expect(scroll.live(room: 5, height: 9).map(\.plain) == ["", "tw"])
    #expect(tell(.text("o"), .textFinished("one\n\ntwo")) == ["", "two"])
    #expect(scroll.live(room: 5, height: 9).isEmpty)
    #expect(tell(.done("one\n\ntwo", own: true)) == ["", "✓ Finished"])
  }

  @Test("turns are separated as by show")
  mutating func separation() {
    #expect(scroll.rows(ofMessage: "do it\nnow").map(\.plain) == ["▌ do it", "▌ now"])
    #expect(tell(.text("Yes."), .textFinished("Yes.")) == ["", "Yes."])
    #expect(tell(.toolFinished(Self.call())) == ["", "✓ bash  ls"])
    #expect(tell(.toolFinished(Self.call(.failed))) == [Self.row("✗ bash  ls", "failed")])
    #expect(tell(.textFinished(""), .text("Done."), .textFinished("Done.")) == ["", "Done."])
    var activity = Turn()
    activity.status = .finished(.succeeded(answer: "Done."))
    activity.startedAt = Timestamp(seconds: 10)
    activity.endedAt = Timestamp(seconds: 22)
    let end = ActivityChange.done("Done.", own: true)
    #expect(tell(end, in: activity) == ["", "✓ Finished  12 s"])
    let next = scroll.rows(ofMessage: "next", imageCount: 2).map(\.plain)
    #expect(next == ["", "▌ next", "▌ 2 images"])
  }

  @Test("a card is separated from the rows above it")
  mutating func card() {
    let card = [StyledText("card")]
    #expect(scroll.live(above: card, room: 6, height: 9).map(\.plain) == ["card"])
    _ = tell(.text("one\n\ntwo"))
    #expect(scroll.live(above: card, room: 6, height: 9).map(\.plain) == ["", "two", "", "card"])
    #expect(scroll.live(above: card, room: 3, height: 9).map(\.plain) == ["two", "", "card"])
    #expect(scroll.live(above: card, room: 1, height: 9).map(\.plain) == ["card"])
    _ = tell(.textFinished("one\n\ntwo"))
    #expect(scroll.live(above: card, room: 6, height: 9).map(\.plain) == ["", "card"])
    #expect(scroll.live(room: 5, height: 9).isEmpty)
  }

  @Test("a message whose start may be missing is live until it is complete")
  mutating func tail() {
    var activity = Turn()
    activity.mayLackStart = true
    #expect(tell(.text("f one.\n\nTw"), in: activity).isEmpty)
    #expect(scroll.live(room: 5, height: 9).map(\.plain) == ["Tw"])
    #expect(
      tell(.textReplaced("Start of one.\n\nTwo."), .textFinished("Start of one.\n\nTwo."))
        == ["Start of one.", "", "Two."]
    )
    #expect(tell(.text("one\n\ntwo")) == ["", "one"])
  }

  @Test("of a stopped message whose start may be missing, the end is returned")
  mutating func stoppedTail() {
    var activity = Turn()
    activity.mayLackStart = true
    var whole = self
    #expect(tell(.text("f one"), in: activity).isEmpty)
    #expect(scroll.flush().map(\.plain) == ["…", "f one"])
    #expect(whole.tell(.text("f one"), in: activity).isEmpty)
    // The whole message may begin with the pieces.
    #expect(whole.tell(.text("."), .textFinished("f one.")) == ["f one."])
    #expect(whole.tell(.text("f two"), in: activity).isEmpty)
    let end = ActivityChange.done("Half two")
    #expect(whole.tell(end) == ["", "Half two", "", "✓ Finished"])
  }

  /// Rules, each with changes and the rows that they return, one step after the other.
  private static let rules: [String: [([ActivityChange], [String])]] = [
    "a message that arrives whole is returned whole": [
      ([.text("a\n\nb"), .textFinished("a\n\nb")], ["a", "", "b"])
    ],
    "a call that ends while a message is unfinished is returned after its text": [
      ([.text("Both at once")], []),
      ([.toolFinished(call())], ["Both at once", "", "✓ bash  ls"]),
      ([.text(", and on"), .textFinished("Both at once, and on")], ["", ", and on"]),
    ],
    "a final text that differs from the returned rows is returned in full": [
      ([.text("one\n\ntwo")], ["one"]),
      (
        [.textReplaced("uno\n\ntwo"), .textFinished("uno\n\ntwo")],
        ["", "corrected answer:", "uno", "", "two"]
      ),
    ],
    "a final text that differs only in its live part repeats nothing": [
      ([.text("one\n\ntwo")], ["one"]),
      ([.textReplaced("one\n\n2"), .textFinished("one\n\n2")], ["", "2"]),
    ],
    "a stopped turn keeps the text that was written, with the reason": [
      ([.text("half of")], []),
      ([.ended(.stopped(reason: "by you"), own: true)], ["half of", "", "● Stopped", "by you"]),
    ],
    "an answer that was not written in pieces is returned at the end": [
      ([.done("It is *done*.", own: true)], ["It is done.", "", "✓ Finished"])
    ],
    "an answer that is returned at the end may equal that of the turn before": [
      ([.text("Yes."), .textFinished("Yes.")], ["Yes."]),
      ([.done("Yes.", own: true)], ["", "✓ Finished"]),
      ([.done("Yes.", own: true)], ["", "Yes.", "", "✓ Finished"]),
    ],
    "a rejected call has its reason": [
      (
        [.toolFinished(call(.rejected(reason: "no\nway")))],
        [row("✗ bash  ls", "rejected"), "    no way"]
      )
    ],
  ]

  @Test("changes return the rows that they finish", arguments: rules.keys.sorted())
  mutating func rows(rule: String) {
    for (changes, rows) in Self.rules[rule] ?? [] {
      #expect(changes.flatMap { scroll.rows(for: $0, in: Turn()) }.map(\.plain) == rows)
    }
  }

  @Test("beside the scrollback, only open calls are shown")
  func beside() {
    var activity = Turn()
    activity.text = "x"
    activity.droppedCallCount = 3
    var ended = Self.call()
    ended.endedAt = Timestamp(seconds: 1)
    activity.toolCalls = [ended, Self.call(.running)]
    #expect(activity.besideScroll.toolCalls.map(\.state) == [.running])
    #expect(activity.besideScroll.text.isEmpty && activity.besideScroll.droppedCallCount == 0)
  }
}

@Suite struct WaitingRowsTests {
  private func rows(_ range: Range<Int>) -> [StyledText] { range.map { StyledText("\($0)") } }

  @Test("in the foreground all rows are kept, however many")
  func foreground() {
    var waiting = WaitingRows()
    waiting.add(rows(0..<WaitingRows.limit + 5), isInForeground: true)
    #expect(waiting.take().count == WaitingRows.limit + 5 && waiting.take().isEmpty)
  }

  @Test("in the background the oldest rows are dropped, and their number is reported once")
  func background() {
    var waiting = WaitingRows()
    waiting.add(rows(0..<WaitingRows.limit), isInForeground: false)
    waiting.add(rows(0..<3), isInForeground: false)
    let taken = waiting.take().map(\.plain)
    #expect(
      taken.count == WaitingRows.limit + 1 && taken.first?.hasPrefix("3 rows were not") == true
    )
    #expect(taken[1] == "3" && taken.last == "2" && waiting.take().isEmpty)
  }
}
