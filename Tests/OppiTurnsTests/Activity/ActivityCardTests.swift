// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

@Suite struct ActivityCardTests {
  /// A recording and the times, in ms after its first frame, at which the card is drawn.
  struct Scene: Sendable, CustomTestStringConvertible {
    var name: String
    var moments: [Int]

    var testDescription: String { name }

    static let all = [
      Scene(name: "02-default-turn", moments: [85, 145, 160, 230, 3000]),
      Scene(name: "03-permission-allow", moments: [400, 10_000]),
      Scene(name: "04-permission-deny", moments: [10_000]),
      Scene(name: "10-ask-answered", moments: [120, 10_000]),
      Scene(name: "12-extension-dialogs", moments: [49, 320]),
      Scene(name: "13-fail-message", moments: [10_000]),
      Scene(name: "20-badexit", moments: [10_000]),
      Scene(name: "24-web-search", moments: [120, 10_000]),
      Scene(name: "25-writefile", moments: [130, 10_000]),
      Scene(name: "26-spawn-child", moments: [90, 10_000]),
      Scene(name: "51-bigtool", moments: [100, 10_000]),
      Scene(name: "made-retry", moments: [1000, 10_000]),
      Scene(name: "made-todo-and-web", moments: [60, 110, 10_000]),
      Scene(name: "made-two-tools", moments: [110, 10_000]),
    ]
  }

  @Test("the card of a turn matches its snapshot", arguments: Scene.all)
  func snapshots(scene: Scene) throws {
    let recording = try Recording(scene.name)
    let id = try #require(recording.sessionIDs.first)
    let start = try #require(recording.frames.first?.time.milliseconds)
    var pages: [String] = []
    for moment in scene.moments {
      let now = Timestamp(milliseconds: start + moment)
      var replay = Replay(sessionID: id)
      for frame in recording.frames where frame.time <= now { replay.play(frame) }
      if moment >= 3000 { replay.settle() }
      for width in [40, 100] {
        let lines = ActivityCard.lines(
          for: replay.reducer.activity,
          width: width,
          now: now,
          frame: 1
        )
        let ruler = String(repeating: "-", count: width)
        pages.append(
          (["\(moment) ms", ruler] + lines.map(\.plain) + [ruler]).joined(separator: "\n")
        )
      }
    }
    try Snapshot.check(pages.joined(separator: "\n\n") + "\n", "card-\(scene.name).txt")
  }

  @Test(
    "the card fits its size and contains only printable text after every message",
    arguments: Recording.all
  )
  func invariants(recording: Recording) {
    for id in recording.sessionIDs {
      var replay = Replay(sessionID: id)
      for frame in recording.frames {
        replay.play(frame)
        for (width, limit) in [(0, 5), (1, 50), (7, 3), (40, 12), (100, .max), (250, 0)] {
          check(replay.reducer.activity, width: width, limit: limit, now: frame.time)
        }
      }
    }
  }

  private func check(_ activity: Turn, width: Int, limit: Int, now: Timestamp) {
    let lines = ActivityCard.lines(
      for: activity,
      width: width,
      now: now,
      frame: now.milliseconds,
      limit: limit
    )
    #expect(lines.count <= limit)
    for line in lines {
      #expect(DisplayWidth.of(line.plain) <= width)
      #expect(line.plain.unicodeScalars.allSatisfy { $0.isPrintable })
    }
  }

  /// A running turn with calls.
  private static func running(_ calls: [ToolCallActivity] = []) -> Turn {
    var turn = Turn()
    (turn.status, turn.toolCalls) = (.running, calls)
    return turn
  }

  private static func call(_ name: String, _ state: ToolCallState) -> ToolCallActivity {
    ToolCallActivity(id: name, tool: name, arguments: [:], state: state)
  }

  private static func card(_ turn: Turn, at seconds: Int = 0, limit: Int = .max) -> [String] {
    let now = Timestamp(seconds: seconds)
    return ActivityCard.lines(for: turn, width: 60, now: now, limit: limit).map(\.plain)
  }

  @Test("each state of a call is shown as a sign, and as a word unless it runs or has succeeded")
  func words() {
    let states: [(ToolCallState, String)] = [
      (.planned, "● x planned"), (.running, "▶ x"), (.succeeded, "✓ x"), (.failed, "✗ x failed"),
      (.rejected(reason: "no"), "✗ x rejected"), (.unfinished, "● x unfinished"),
    ]
    for (state, words) in states {
      let card = Self.card(Self.running([Self.call("x", state)]))
      let row = card.map { $0.split(separator: " ").joined(separator: " ") }
      #expect(row.contains(words), "\(card)")
    }
  }

  @Test("only the dots are animated")
  func animation() {
    let pictures = (0...3).map { frame in
      let now = Timestamp(seconds: 0)
      return ActivityCard.lines(for: Self.running(), width: 40, now: now, frame: frame).map(\.plain)
    }
    #expect(pictures[0] == pictures[3])
    #expect(Set(pictures).count == 3)
    #expect(pictures[0].last == "Thinking...")
  }

  @Test("the latest calls are shown, and the hidden calls are counted", arguments: 3...20)
  func manyCalls(limit: Int) {
    var turn = Self.running((1...30).map { Self.call("tool\($0)", .succeeded) })
    turn.droppedCallCount = 7
    let lines = Self.card(turn, limit: limit)
    #expect(lines.count == limit)
    let shown = lines.filter { $0.hasPrefix("✓") }.count
    #expect(lines.contains("… \(37 - shown) earlier calls"))
    if shown > 0 { #expect(lines.last?.hasPrefix("✓ tool30") == true) }
  }

  @Test("of many children and statuses the latest are shown")
  func companions() {
    var turn = Self.running()
    turn.children = (1...6).map { ChildSession(.sample("c\($0)")) }
    turn.statuses = (1...4).map { ExtensionStatus(key: "k\($0)", text: "on") }
    let expected = (2...6).map { "● agent c\($0): idle" } + (2...4).map { "k\($0): on" }
    #expect(Self.card(turn).suffix(expected.count) == expected[...])
  }

  @Test("a running call has no time before its first second, and none if the clock went back")
  func clockBack() {
    var call = Self.call("x", .running)
    call.startedAt = Timestamp(seconds: 60)
    for (seconds, end) in [(50, "x"), (60, "x"), (62, " 2 s")] {
      let lines = Self.card(Self.running([call]), at: seconds)
      #expect(lines.contains { $0.hasPrefix("▶ x") && $0.hasSuffix(end) }, "\(lines)")
    }
  }

  @Test("a question that cannot be answered here is shown whole, in rows of the width")
  func unreported() {
    var talk = Conversation()
    talk.begin()
    let part: JSONValue = [
      "id": "a", "question": "Which of the many tests should I run?", "options": ["x", "y"],
    ]
    talk.tell(.says(""), .calls("t", "ask", ["questions": [part]]))
    let lines = ActivityCard.lines(
      for: talk.activity,
      width: 30,
      now: talk.now,
      hasQuestions: false
    )
    .map(\.plain)
    #expect(lines.first?.contains("! Waiting") == true, "\(lines)")
    #expect(lines.contains("! Which of the many tests") && lines.contains("  x / y"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  Only a program") } && lines.count == 9, "\(lines)")
  }

  @Test("a pending approval is visible in the smallest card")
  func smallest() {
    var talk = Conversation()
    talk.begin()
    talk.tell(.textDelta(String(repeating: "many words ", count: 100)), .says("x"))
    for number in 0..<5 {
      talk.tell(.question(UserQuestion(id: "q\(number)", method: "x", body: [:])))
    }
    talk.tell(.calls("t"), .asks("p"))
    let lines = ActivityCard.lines(for: talk.activity, width: 60, now: talk.now, limit: 4)
    #expect(lines.contains { $0.plain.hasPrefix("! bash  ls ") })
    #expect(lines.contains { $0.plain.hasPrefix("    Listing") })
  }

  @Test("the time left is computed by the server's clock")
  func clocks() throws {
    var talk = Conversation()
    talk.begin()
    talk.tell(.says(""), .calls("t"), .asks("p"))
    let card = ActivityCard.lines(
      for: talk.activity,
      width: 60,
      now: Timestamp(seconds: 5000),
      serverNow: Timestamp(seconds: 100)
    )
    #expect(card.contains { $0.plain == "    Listing, 20 s left" })
  }

  @Test("a long request shows how many lines are hidden")
  func longRequest() throws {
    var talk = Conversation()
    talk.begin()
    let summary = (1...20).map { "line \($0)" }.joined(separator: "\n")
    talk.tell(
      .permissionRequest(
        PermissionRequest(id: "p", tool: "bash", input: ["command": "ls"], summary: summary)
      )
    )
    let lines = ActivityCard.lines(for: talk.activity, width: 60, now: talk.now).map(\.plain)
    #expect(lines.contains("    line 8"))
    #expect(!lines.contains("    line 9"))
    #expect(lines.contains("    … 12 more lines"))
  }
}
