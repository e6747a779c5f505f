// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Sessions in the console as a menu of lines: messages, names, attempts and new prompts.
@Suite struct ConsoleMenuWorkTests {
  private static let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")

  @Test("the last turn is read, a message is sent, and a turn is stopped after yes")
  func work() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .running)])
    desk.type("3")
    #expect(desk.prints("1 running: goal of S; in studio/webapp; "), "\(desk.printed)")
    #expect(desk.type("1", "1") == [.work(.read(Self.id, turns: 1))])
    desk.receive(.work(.conversation(Self.id, turns: TimelineDetail.turnLimit, .success([]))))
    #expect(desk.prints("no turns yet"))
    #expect(desk.type("3").isEmpty && desk.prints("type the message"))
    #expect(desk.type("3", after: .milliseconds(500)).isEmpty && desk.prints("typed too early"))
    #expect(desk.type("go on") == [.send("go on", to: Self.id)])
    #expect(desk.type("4").isEmpty && desk.prints("type yes; anything else cancels"))
    #expect(desk.type("y").isEmpty && desk.prints("nothing was changed"))
    desk.type("4")
    #expect(desk.type("yes", after: .milliseconds(900)).isEmpty, "before it could be read")
    desk.type("4")
    #expect(desk.type("yes") == [.work(.stop(Self.id))])
  }

  @Test("a message that was not sent is offered again")
  func drafts() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3", "go on")
    desk.receive(.unsent("go on", to: Self.id))
    desk.type("3")
    #expect(desk.prints("not sent before: go on; ! sends it"), "\(desk.printed)")
    #expect(desk.type("!") == [.send("go on", to: Self.id)])
  }

  @Test("an unsent message stays offered after another message was sent")
  func keptDraft() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3", "go on")
    desk.receive(.unsent("go on", to: Self.id))
    desk.type("3")
    #expect(desk.type("something else") == [.send("something else", to: Self.id)])
    desk.type("3")
    #expect(desk.type("!") == [.send("go on", to: Self.id)])
  }

  @Test("an exclamation mark is a message if none was unsent")
  func noDraft() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3")
    #expect(desk.type("!") == [.send("!", to: Self.id)])
  }

  @Test("turns are printed once for each time that they were wanted")
  func readOnce() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "1")
    for _ in 1...2 {
      desk.receive(.work(.conversation(Self.id, turns: TimelineDetail.turnLimit, .success([]))))
    }
    #expect(desk.printed.count { $0 == "no turns yet" } == 1, "\(desk.printed)")
  }

  @Test("a long list is printed in parts, and only printed numbers count")
  func more() {
    let sessions = (1...45).map { ConsoleDesk.session("S\($0)", .idle) }
    var desk = MenuDesk.listing(sessions: sessions)
    desk.type("3")
    #expect(desk.prints("and 25 more; type more") && !desk.prints("21 idle"))
    #expect(desk.type("30").isEmpty && desk.prints("no choice '30'"))
    desk.type("more")
    #expect(desk.printed.first?.hasPrefix("21 idle") == true && desk.prints("and 5 more"))
    desk.type("more", "more")
    #expect(desk.prints("that is all"))
    desk.type("45")
    #expect(desk.prints("1 peek"))
  }

  // MARK: - Other attempts, names and new sessions

  @Test("a session gets another name")
  func renames() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1")
    desk.type(desk.number(of: "rename"))
    #expect(desk.prints("type the new name"), "\(desk.printed)")
    #expect(desk.type("new name") == [.work(.rename(Self.id, to: "new name"))])
    desk.type(desk.number(of: "rename"))
    #expect(desk.type("  ").isEmpty && desk.prints("not sent"))
  }

  @Test("the prompt of a failed turn is read, printed whole, and sent again after yes")
  func retries() {
    var desk = Self.failed()
    #expect(desk.prompt("fix\nthe tests").isEmpty)
    #expect(desk.prints("Send the prompt of this failed turn again?") && desk.prints("the tests"))
    #expect(desk.type("yes", after: .milliseconds(900)).isEmpty && desk.prints("too early"))
    #expect(desk.type(desk.number(of: "failed prompt")) == [.work(.read(Self.id, turns: 1))])
    desk.prompt("fix\nthe tests")
    #expect(desk.type("yes") == [.send("fix\nthe tests", to: Self.id)])
    #expect(desk.type("yes").isEmpty, "it is sent once")
  }

  @Test("a prompt that comes too late, or is not known, is not asked about")
  func lateRetries() {
    var left = Self.failed()
    left.type("0")
    left.prompt("fix the tests")
    #expect(!left.prints("again?") && left.type("yes").isEmpty)
    var changed = Self.failed()
    changed.answer(sessions: [ConsoleDesk.session("S", .running)])
    changed.prompt("fix the tests")
    #expect(!changed.prints("again?"), "\(changed.printed)")
    var unknown = Self.failed()
    unknown.prompt(nil)
    #expect(unknown.prints("the prompt is not known"), "\(unknown.printed)")
  }

  /// The prompt of a failed session is being read.
  private static func failed() -> MenuDesk {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .failed)])
    desk.type("3", "1")
    desk.type(desk.number(of: "failed prompt"))
    return desk
  }

  @Test("n asks for the workspace and the prompt, and sends nothing typed too early")
  func launches() throws {
    var desk = MenuDesk.listing()
    #expect(desk.type("n") == [.work(.listWorkspaces)])
    let all = ["webapp", "infra"].compactMap(ConsoleDesk.workspace)
    desk.receive(.work(.workspaces(all)))
    #expect(desk.prints("New prompt: which workspace?") && desk.prints("2 studio/infra"))
    desk.receive(.work(.workspaces(all.reversed())))
    desk.type("2")
    #expect(desk.prints("type the prompt for studio/infra"), "\(desk.printed)")
    #expect(desk.type("hello", after: .milliseconds(900)).isEmpty && desk.prints("typed too early"))
    let order = NewPrompt.Order(workspace: all[1], model: nil, text: "hello")
    #expect(desk.type("hello") == [.work(.launch(order))] && desk.prints("main menu"))
    desk.receive(.work(.notLaunched(order)))
    desk.type("n")
    desk.receive(.work(.workspaces(all)))
    desk.type("2")
    #expect(desk.prints("not sent before: hello; ! sends it"), "\(desk.printed)")
    #expect(desk.type("!") == [.work(.launch(order))])
  }

  @Test("with --read-only no prompt can be sent")
  func readOnly() {
    var desk = MenuDesk.listing(isReadOnly: true)
    #expect(desk.type("n").isEmpty && desk.prints("no choice 'n'"))
  }

  @Test("q asks once if a text was not sent, and any other line stays")
  func unsent() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .idle)])
    desk.receive(.unsent("go on", to: Self.id))
    desk.type("q")
    #expect(!desk.hasLeft && desk.prints("1 unsent text; q: leave, any other line: stay"))
    desk.type("3", "q")
    #expect(!desk.hasLeft && desk.prints("1 unsent text"), "it is asked again")
    desk.type("q")
    #expect(desk.hasLeft)
  }
}
