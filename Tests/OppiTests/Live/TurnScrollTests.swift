// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

@Suite struct TurnScrollTests {
  private var scroll = TurnScroll(width: 60)

  private mutating func tell(
    _ changes: ActivityChange...,
    in activity: Turn = Turn()
  ) -> [String] {
    changes.flatMap { scroll.rows(for: $0, in: activity) }.map(\.plain)
  }

  private func call(_ state: ToolCallState = .succeeded) -> ToolCallActivity {
    ToolCallActivity(id: "1", tool: "bash", arguments: ["command": "ls"], state: state)
  }

  @Test("finished blocks are returned once, and the rest is live")
  mutating func blocks() {
    #expect(tell(.text("one\n\ntw")) == ["one"])
    #expect(scroll.live(rows: 5).map(\.plain) == ["", "tw"])
    #expect(tell(.text("o"), .textFinished("one\n\ntwo")) == ["", "two"])
    #expect(scroll.live(rows: 5).isEmpty)
    #expect(tell(.done("one\n\ntwo", own: true)) == ["", "✓ Finished"])
  }

  @Test("turns are separated as by show")
  mutating func separation() {
    #expect(scroll.rows(ofMessage: "do it\nnow").map(\.plain) == ["› do it", "  now"])
    #expect(tell(.text("Yes."), .textFinished("Yes.")) == ["", "Yes."])
    #expect(tell(.toolFinished(call())) == ["", "✓ bash: ls"])
    #expect(tell(.toolFinished(call(.failed))) == ["✗ failed: bash: ls"])
    #expect(tell(.textFinished(""), .text("Done."), .textFinished("Done.")) == ["", "Done."])
    var activity = Turn()
    activity.status = .finished(.succeeded(answer: "Done."))
    activity.startedAt = Timestamp(seconds: 10)
    activity.endedAt = Timestamp(seconds: 22)
    let end = ActivityChange.done("Done.", own: true)
    #expect(tell(end, in: activity) == ["", "✓ Finished  12 s"])
    #expect(scroll.rows(ofMessage: "next").map(\.plain) == ["", "› next"])
  }

  @Test("a card is separated from the rows above it")
  mutating func card() {
    let card = [StyledText("card")]
    #expect(scroll.live(above: card, rows: 5).map(\.plain) == ["card"])
    _ = tell(.text("one\n\ntwo"))
    #expect(scroll.live(above: card, rows: 5).map(\.plain) == ["", "two", "", "card"])
    #expect(scroll.live(above: card, rows: 2).map(\.plain) == ["two", "", "card"])
    #expect(scroll.live(above: card, rows: 0).map(\.plain) == ["card"])
    _ = tell(.textFinished("one\n\ntwo"))
    #expect(scroll.live(above: card, rows: 5).map(\.plain) == ["", "card"])
    #expect(scroll.live(rows: 5).isEmpty)
  }

  @Test("a message that arrives whole is returned whole")
  mutating func whole() {
    #expect(tell(.text("a\n\nb"), .textFinished("a\n\nb")) == ["a", "", "b"])
  }

  @Test("a message whose start may be missing is live until it is complete")
  mutating func tail() {
    var activity = Turn()
    activity.mayLackStart = true
    #expect(tell(.text("f one.\n\nTw"), in: activity).isEmpty)
    #expect(scroll.live(rows: 5).map(\.plain) == ["Tw"])
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

  @Test("a call that ends while a message is unfinished is returned after its text")
  mutating func order() {
    #expect(tell(.text("Both at once")) == [])
    #expect(tell(.toolFinished(call())) == ["Both at once", "", "✓ bash: ls"])
    #expect(tell(.text(", and on"), .textFinished("Both at once, and on")) == ["", ", and on"])
  }

  @Test("a final text that differs from the returned rows is returned in full")
  mutating func corrected() {
    #expect(tell(.text("one\n\ntwo")) == ["one"])
    #expect(
      tell(.textReplaced("uno\n\ntwo"), .textFinished("uno\n\ntwo"))
        == ["", "corrected answer:", "uno", "", "two"]
    )
  }

  @Test("a final text that differs only in its live part repeats nothing")
  mutating func completed() {
    #expect(tell(.text("one\n\ntwo")) == ["one"])
    #expect(tell(.textReplaced("one\n\n2"), .textFinished("one\n\n2")) == ["", "2"])
  }

  @Test("a stopped turn keeps the text that was written, with the reason")
  mutating func stopped() {
    #expect(tell(.text("half of")) == [])
    #expect(
      tell(.ended(.stopped(reason: "by you"), own: true))
        == ["half of", "", "● Stopped", "by you"]
    )
  }

  @Test("an answer that was not written in pieces is returned at the end")
  mutating func unseen() {
    #expect(tell(.done("It is *done*.", own: true)) == ["It is done.", "", "✓ Finished"])
  }

  @Test("a rejected call has its reason")
  mutating func rejected() {
    #expect(
      tell(.toolFinished(call(.rejected(reason: "no\nway"))))
        == ["✗ rejected: bash: ls", "  no way"]
    )
  }

  @Test("beside the scrollback, only open calls are shown")
  func beside() {
    var activity = Turn()
    activity.text = "x"
    activity.droppedCallCount = 3
    var ended = call()
    ended.endedAt = Timestamp(seconds: 1)
    activity.toolCalls = [ended, call(.running)]
    #expect(activity.besideScroll.toolCalls.map(\.state) == [.running])
    #expect(activity.besideScroll.text.isEmpty && activity.besideScroll.droppedCallCount == 0)
  }
}
