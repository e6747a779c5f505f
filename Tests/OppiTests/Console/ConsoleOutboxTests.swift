// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The prompts of the outbox in the console: what they wait for, and what can be done with them.
@Suite struct ConsoleOutboxTests {
  static func item(
    _ key: String,
    _ state: QueuedPrompt.State,
    _ text: String? = nil
  ) -> OutboxItem {
    var prompt = QueuedPrompt(
      key: OutboxKey(key) ?? OutboxKey(digestOf: [key], number: 1),
      target: .demo(on: ConsoleDesk.studio),
      content: Prompt(text ?? "prompt \(key)", clientTurnID: "turn-\(key)"),
      createdAt: ConsoleDesk.begin
    )
    prompt.state = state
    return OutboxItem(QueuedPromptRow(prompt: prompt, now: ConsoleDesk.begin))
  }

  private static func desk(
    _ items: OutboxItem...,
    columns: Int = 100,
    isReadOnly: Bool = false
  ) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, isReadOnly: isReadOnly)
    #expect(desk.press("5") == [.outbox(.read), .schedule(.read)])
    _ = desk.update(.news(.schedule(.listed([], problems: []))))
    _ = desk.update(.news(.outbox(items)))
    return desk
  }

  private static let launched = QueuedPrompt.State.launched(at: nil)

  @Test("queued prompts stand above the schedules, first those that need the user")
  func list() {
    let desk = Self.desk(
      Self.item("a", .waiting(retryAt: nil)),
      Self.item("b", .unknown),
      Self.item("c", .failed)
    )
    #expect(desk.lines[0].contains("[5 Schedules (2)]"), "\(desk.lines[0])")
    #expect(desk.lines.contains { $0.hasPrefix("── Outbox · 3") }, "\(desk.lines)")
    let rows = desk.lines.filter { $0.contains("prompt ") }
    let words = rows.map { row in
      row.dropFirst(2).split(separator: " ").prefix(2).joined(separator: " ")
    }
    #expect(words == ["? unknown", "✗ failed", "○ outbox"], "\(desk.lines)")
    let facts = ["studio/demo", "queued"]
    #expect(rows.allSatisfy { row in facts.allSatisfy { row.contains($0) } }, "\(rows)")
  }

  @Test(
    "each state has its action, which says what may happen, and is confirmed",
    arguments: [
      (.waiting(retryAt: nil), "send", "Send this prompt now?", nil),
      (launched, "check", "Check this prompt now?", nil),
      (.failed, "retry", "It did not run", "failed"),
      (.expired, "retry", "It did not run", "expired"),
      (.unknown, "send again", "although it may run twice?", "unknown"),
    ] as [(QueuedPrompt.State, String, String, String?)]
  )
  func actions(
    state: QueuedPrompt.State,
    verb: String,
    words: String,
    seen: String?
  ) throws {
    let item = Self.item("a", state, "deploy to staging")
    var desk = Self.desk(item)
    #expect(desk.footer.contains("R \(verb)"), "\(desk.footer)")
    desk.press("R")
    for text in [words, "deploy to staging", "to studio/demo"] {
      #expect(desk.shows(text), "\(text): \(desk.lines)")
    }
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty, "Enter alone cancels")
    desk.press("R")
    desk.press("y", after: .seconds(2))
    let effect = seen.map { OutboxEffect.retry(item.id, seenAs: $0) } ?? .flush(item.id)
    #expect(desk.press(.enter, after: .seconds(2)) == [.outbox(effect)])
  }

  @Test(
    "dropping a prompt says whether it may have run",
    arguments: [
      (.waiting(retryAt: nil), "It is not sent."), (.failed, "It did not run"),
      (launched, "It may have run"), (.unknown, "It may have run"),
    ] as [(QueuedPrompt.State, String)]
  )
  func drops(state: QueuedPrompt.State, words: String) {
    let item = Self.item("a", state)
    var desk = Self.desk(item)
    desk.press("D")
    #expect(desk.shows("Drop this prompt from the outbox?") && desk.shows(words), "\(desk.lines)")
    desk.press("y", after: .seconds(2))
    let effects = desk.press(.enter, after: .seconds(2))
    #expect(effects == [.outbox(.drop(item.id, seenAs: state.word))])
    #expect(desk.press("q").isEmpty && desk.shows("waiting for confirmation"), "\(desk.lines)")
  }

  @Test("a delivered prompt, whose session is still to be ended, can be neither sent nor dropped")
  func delivered() {
    let row = Self.item("a", .delivered(.accepted)).row(at: ConsoleDesk.begin)
    #expect(ConsoleChange.send(row) == nil && ConsoleChange.drop(row) == nil)
    #expect(!Self.item("a", .delivered(.accepted)).needsUser)
  }

  @Test("the detail has the whole prompt, and of a very long one the start and how to see the rest")
  func detail() {
    let text = (1...40).map { "line \($0)" }.joined(separator: "\n")
    let lines = Self.item("a", .failed, text).detail(width: 60, at: ConsoleDesk.begin).map(\.plain)
    #expect(lines.contains("line 1") && lines.contains("line 40"))
    #expect(lines.contains { $0.hasPrefix("to") && $0.hasSuffix("studio/demo") }, "\(lines)")
    let long = Self.item("a", .failed, String(repeating: "x", count: 200_000))
    let cut = long.detail(width: 60, at: ConsoleDesk.begin).map(\.plain)
    #expect(cut.count < 2000)
    #expect(cut.suffix(2).joined(separator: " ").contains("oppi outbox show a"), "\(cut.suffix(2))")
  }

  @Test("with --read-only no prompt can be sent or dropped")
  func readOnly() {
    var desk = Self.desk(Self.item("a", .unknown), isReadOnly: true)
    #expect(!desk.footer.contains("send") && !desk.footer.contains("drop"), "\(desk.footer)")
    for key in ["R", "D"] {
      #expect(desk.press(.text(key)).isEmpty)
      #expect(!desk.shows("this prompt"))
    }
  }

  // MARK: - With a server

  @Test("a queued prompt is sent when the server is back, and once")
  func sends() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let terminal = world.start(["console"], columns: 120)
      try await terminal.see("[1 Now")
      try await terminal.see("unreachable")
      try await terminal.type("5", see: "○ outbox")
      try server.start()
      try await terminal.type("R", see: "Send this prompt now?")
      try await terminal.confirm("send", in: world)
      try await terminal.see("prompt k: delivered")
      let delivered = world.loop.now
      try await terminal.seeNo("○ outbox")
      #expect(delivered.duration(to: world.loop.now) < .seconds(5))
      terminal.type("q")
      try await terminal.end(exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a prompt whose state has changed since the question is not dropped")
  func changed() {
    inWorld { world, server in
      await world.lose(server)
      let words = ["ask", "--queue", "--key", "k", "--expires", "1m", "-w", "demo", "hello"]
      _ = await world.program().run(words)
      let terminal = world.start(["console"], columns: 120)
      try await terminal.see("unreachable")
      try await terminal.type("5", see: "○ outbox")
      try await terminal.type("D", see: "It is not sent.")
      try await world.loop.sleep(for: .seconds(90))
      try await terminal.confirm("drop", in: world)
      try await terminal.see("its state is expired")
      terminal.type("q")
      try await terminal.end(exits: 0)
    }
  }
}
