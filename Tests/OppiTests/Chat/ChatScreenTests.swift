// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiTurns

/// Approvals on a chat screen, without a terminal: the effect of keys, and the visible rows.
@Suite struct ChatScreenTests {
  @Test("a letter selects a decision, and only Enter confirms it")
  func decides() throws {
    let cases: [(String, PermissionDecision)] = [
      ("a", .allow), ("s", .allowForSession), ("d", .deny),
    ]
    for (letter, decision) in cases {
      var desk = ChatDesk()
      try desk.ask()
      #expect(desk.press(.text(letter), after: .seconds(2)).isEmpty)
      #expect(desk.press(.enter).isEmpty, "the selection was not visible long enough")
      #expect(desk.press(.enter, after: .seconds(1)).decisions == [decision])
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty, "only the first Enter decides")
    }
  }

  @Test("Enter alone decides nothing, and neither does text typed while the request arrives")
  func typing() throws {
    var desk = ChatDesk()
    _ = desk.press(.text("please "))
    try desk.ask()
    for letter in ["a", "d", "d", " ", "d", "o", "c", "s"] {
      #expect(desk.press(.text(letter), after: .milliseconds(150)).isEmpty)
    }
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty)
    #expect(desk.press(.enter, after: .seconds(5)).isEmpty)
    #expect(desk.screen.composer.text == "please add docs")
  }

  @Test("a key pressed right after the request appears selects nothing")
  func early() throws {
    var desk = ChatDesk()
    try desk.ask()
    #expect(desk.press(.text("a"), after: .milliseconds(300)).isEmpty)
    #expect(desk.selection == nil && desk.screen.composer.text == "a")
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
  }

  @Test("after the editor closes, a request accepts keys only after a pause of one second")
  func editor() throws {
    var desk = ChatDesk()
    try desk.ask()
    _ = desk.wait(.seconds(2))
    #expect(desk.press(.text("a"), after: .seconds(2)).isEmpty && desk.selection == .allowOnce)
    _ = desk.update(.edited("text", failure: nil))
    #expect(desk.selection == nil)
    #expect(desk.press(.text("a"), after: .milliseconds(900)).isEmpty && desk.selection == nil)
    #expect(desk.press(.text("a"), after: .milliseconds(1000)).isEmpty)
    #expect(desk.selection == .allowOnce)
  }

  @Test("an Enter that came too early after a request is gone stays told until the next key")
  func stoppedEnter() throws {
    var desk = try ChatDesk.asked()
    _ = desk.wait(.seconds(3))
    _ = try desk.receive(["type": "permission_cancelled", "id": "p1", "sessionId": "S"])
    _ = desk.press(.text("hello"), after: .milliseconds(300))
    #expect(desk.press(.enter, after: .milliseconds(100)).sent.isEmpty)
    #expect(desk.shows("pause for 1 s before pressing Enter"), "\(desk.screen)")
    _ = desk.wait(.seconds(2))
    #expect(desk.shows("not sent; Enter sends it now"))
    #expect(desk.press(.enter).sent.count == 1 && !desk.shows("not sent"))
  }

  @Test("a word that starts with a choice's letter goes to the draft as a whole")
  func word() throws {
    var desk = try ChatDesk.asked()
    _ = desk.press(.text("d"), after: .seconds(3))
    _ = desk.press(.text("a"), after: .milliseconds(90))
    _ = desk.press(.text("nger"), after: .milliseconds(90))
    #expect(desk.press(.enter, after: .milliseconds(90)).isEmpty)
    #expect(desk.screen.composer.text == "danger")
    #expect(desk.selection == nil)
    // The message can be sent after Esc returns to the draft.
    _ = desk.press(.escape, after: .seconds(1))
    #expect(desk.press(.enter).sent == ["follow_up danger"])
    #expect(desk.screen.panel != nil)
  }

  @Test("a larger window that shows unseen rows needs a new pause and a new selection")
  func grown() throws {
    let command = (1...30).map { "echo \($0)" }.joined(separator: "\n")
    var desk = ChatDesk(columns: 80, rows: 12)
    try desk.ask(command: command)
    _ = desk.press(.text("a"), after: .seconds(2))
    _ = desk.resize(columns: 80, rows: 60)
    #expect(desk.shows("echo 30") && desk.selection == nil)
    #expect(desk.press(.enter).decisions.isEmpty)
    #expect(desk.press(.text("a"), .enter, after: .milliseconds(500)).decisions.isEmpty)
    #expect(desk.choose("a").decisions == [.allow])
    // What was seen to its end stays selected.
    var seen = ChatDesk(columns: 80, rows: 60)
    try seen.ask(command: command)
    _ = seen.press(.text("a"), after: .seconds(2))
    _ = seen.resize(columns: 80, rows: 12)
    #expect(seen.selection == .allowOnce)
  }

  @Test("Esc switches between the open request and the draft")
  func aside() throws {
    var desk = try ChatDesk.asked(draft: "draft")
    #expect(desk.press(.escape, after: .seconds(2)).isEmpty)
    #expect(desk.lines.contains { $0.contains("waiting for approval (Esc: show the request)") })
    #expect(desk.press(.enter).sent == ["follow_up draft"])
    _ = desk.press(.escape)
    #expect(desk.lines.contains { $0.contains("git push") })
  }

  @Test("the cursor is on a request, and then on the selected choice")
  func focus() throws {
    for columns in [30, 100] {
      var desk = ChatDesk(columns: columns, rows: 24)
      try desk.ask()
      #expect(!desk.lineOfCursor.isEmpty && !desk.lineOfCursor.contains("allow once"))
      _ = desk.press(.text("d"), after: .seconds(2))
      #expect(desk.lineOfCursor.contains("▸d deny"))
    }
  }

  @Test("Ctrl-C stops the turn while a request is open")
  func stops() throws {
    var desk = ChatDesk()
    try desk.begin()
    try desk.ask()
    #expect(desk.press(.control("c"), after: .seconds(2)) == [.stopTurn])
  }

  @Test(
    "no keys decide without Enter, under any sequence of events",
    arguments: rounds(100, of: 300)
  )
  func property(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var desk = ChatDesk()
    let letters = ["a", "s", "d", "r", "y", "n", "1", "x", " ", "ad", "é"]
    for step in 0..<60 {
      let pause = Duration.milliseconds([0, 50, 300, 1200].randomElement(using: &generator) ?? 0)
      var effects: [ChatEffect] = []
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: try desk.ask("p\(step)", command: "rm -rf \(step)")
      case 1:
        effects = try desk.receive([
          "type": "permission_expired", "id": .string("p\(step - 1)"), "sessionId": "S",
          "reason": "x",
        ])
      case 2:
        effects = desk.resize(
          columns: .random(in: 4...200, using: &generator),
          rows: .random(in: 2...60, using: &generator)
        )
      case 3: effects = desk.press(.paste("a\nallow\nd\n"), after: pause)
      case 4:
        let keys: [Key] = [.left, .right, .tab, .up, .down, .end, .pageDown, .escape, .backspace]
        effects = desk.press(keys.randomElement(using: &generator) ?? .tab, after: pause)
      default:
        effects = desk.press(.text(letters.randomElement(using: &generator) ?? "a"), after: pause)
      }
      let hasDecided = effects.contains { effect in
        switch effect {
        case .reply, .stopTurn, .deliver: true
        default: false
        }
      }
      #expect(!hasDecided, "\(effects)")
      #expect(
        desk.lines.allSatisfy { DisplayWidth.of($0) <= desk.screen.size.columns },
        "\(desk.lines)"
      )
    }
  }

  @Test("a request that is repeated with another call is shown again without a selection")
  func changed() throws {
    var desk = ChatDesk()
    try desk.ask(command: "ls")
    _ = desk.press(.text("a"), after: .seconds(2))
    try desk.ask(command: "rm -rf /")
    #expect(desk.shows("rm -rf /"))
    #expect(desk.press(.enter, after: .milliseconds(400)).decisions.isEmpty)
    #expect(desk.press(.enter, after: .seconds(2)).decisions.isEmpty)
  }

  @Test("a later request with the id of one that was answered is shown, and takes an answer")
  func sameID() throws {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    try desk.ask()
    #expect(desk.choose("d").decisions == [.deny])
    _ = desk.update(.news(.performed(ChatResult(kind: .answer(id: "p1"), text: "denied"))))
    _ = try desk.receive([
      "type": "stop_confirmed", "source": "user", "sessionId": "S", "seq": 7,
    ])
    #expect(!desk.shows("waiting for approval"))
    _ = try desk.receive(["type": "agent_start", "sessionId": "S", "seq": 8])
    try desk.ask(command: "git push --tags")
    #expect(desk.shows("waiting for approval"))
    #expect(desk.choose("d").decisions == [.deny])
  }

  @Test("keys pressed before the request was drawn go to the draft")
  func late() throws {
    var desk = ChatDesk()
    desk.now = .seconds(5)
    try desk.ask()
    // The keys are handled late, after other events.
    desk.now = .seconds(10)
    for (key, moment) in [(Key.text("a"), 4_000), (.enter, 5_900)] {
      let pressed = Duration.milliseconds(moment)
      #expect(desk.update(.key(key, at: pressed)).decisions.isEmpty)
    }
    #expect(desk.selection == nil && desk.screen.composer.text == "a")
  }

  @Test("after a return from the shell, a request accepts keys only after a pause")
  func continued() throws {
    var desk = ChatDesk()
    try desk.ask()
    desk.now += .seconds(5)
    _ = desk.update(.continued)
    _ = desk.press(.text("a"), after: .milliseconds(300))
    #expect(desk.press(.enter, after: .milliseconds(600)).decisions.isEmpty)
    #expect(desk.selection == nil)
  }

  @Test("what the panel asks is on the screen once")
  func once() throws {
    var desk = ChatDesk()
    try desk.ask()
    #expect(desk.lines.count { $0.contains("git push") } == 1, "\(desk.lines)")
    #expect(desk.lines.count { $0.lowercased().contains("waiting for approval") } == 1)
    _ = desk.wait(.seconds(2))
    _ = desk.press(.escape)
    #expect(desk.shows("Waiting for approval"), "the card is back: \(desk.lines)")
  }

  @Test("an Enter meant for a request does not send the draft behind it")
  func enterBehind() throws {
    for isDecided in [true, false] {
      var desk = try ChatDesk.asked(draft: "half a message")
      _ = desk.press(.text("d"), after: .seconds(2))
      if isDecided {
        #expect(desk.press(.enter, after: .seconds(1)).decisions == [.deny])
      } else {
        _ = try desk.receive(["type": "permission_expired", "id": "p1", "sessionId": "S"])
      }
      #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty)
      #expect(desk.shows("pause for 1 s before pressing Enter"))
      _ = desk.wait(.seconds(2))
      #expect(desk.press(.enter).sent == ["follow_up half a message"])
    }
  }

  @Test("editing keys do not change a hidden draft")
  func hiddenMessage() throws {
    var desk = ChatDesk()
    _ = desk.press(.text("half a message"))
    try desk.ask()
    _ = desk.press(.control("u"), .control("w"), .control("r"), after: .seconds(2))
    #expect(desk.screen.composer.text == "half a message" && desk.screen.composer.search == nil)
  }
}
