// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiTurns
@testable import OppiWire

/// Leaving with something unconfirmed, in each form of the chat and of the console.
@Suite struct LeavingTests {
  /// A program in which one thing that was sent is not confirmed yet.
  ///
  /// Each action returns whether the program exits.
  private struct User {
    let ask: () -> Bool
    let wait: (Duration) -> Bool
    let confirm: () throws -> Bool
    let sees: (String) -> Bool
  }

  enum Surface: String, CaseIterable, Sendable {
    case chat, chatInLines, console, consoleWithChat, consoleInLines
  }

  private static func user(of surface: Surface) throws -> User {
    switch surface {
    case .chat: try chat()
    case .chatInLines: try chatInLines()
    case .console: console()
    case .consoleWithChat: try consoleWithChat()
    case .consoleInLines: consoleInLines()
    }
  }

  @Test("leaving waits for a confirmation, for 3 s at most", arguments: Surface.allCases)
  func waits(surface: Surface) throws {
    let user = try Self.user(of: surface)
    #expect(!user.ask())
    #expect(user.sees("waiting for confirmation; "))
    #expect(!user.wait(.milliseconds(2900)))
    #expect(user.wait(.milliseconds(100)))
  }

  @Test("the confirmation ends the wait", arguments: Surface.allCases)
  func confirms(surface: Surface) throws {
    let user = try Self.user(of: surface)
    #expect(!user.ask())
    #expect(try user.confirm())
  }

  @Test("a second request to leave ends the wait", arguments: Surface.allCases)
  func insists(surface: Surface) throws {
    let user = try Self.user(of: surface)
    #expect(!user.ask())
    #expect(user.ask())
  }

  @Test("nothing is left before the user asks", arguments: Surface.allCases)
  func stays(surface: Surface) throws {
    let user = try Self.user(of: surface)
    #expect(!user.wait(.seconds(4)))
    #expect(try !user.confirm())
    #expect(user.ask(), "nothing is unconfirmed any more")
  }

  // MARK: - The surfaces

  private static let stopped = ChatResult(kind: .stop)
  private static let push = ConsoleDesk.request("a", "git push")

  private static func chat() throws -> User {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    _ = desk.press(.control("c"))
    return User(
      ask: { desk.press(.control("d"), after: .seconds(2)).contains(.leave) },
      wait: { desk.wait($0).contains(.leave) },
      confirm: { desk.update(.news(.performed(stopped))).contains(.leave) },
      sees: { desk.shows($0) }
    )
  }

  private static func chatInLines() throws -> User {
    var desk = ChatLinesDesk()
    try desk.begin()
    _ = desk.update(.interrupted(hasDraft: false))
    var printed: [String] = []
    func isOver(_ effects: [ChatEffect]) -> Bool {
      printed += effects.printed
      return effects.contains(.leave)
    }
    return User(
      ask: { isOver(desk.update(.inputEnded)) },
      wait: { time in
        desk.now += time
        return isOver(desk.update(.tick))
      },
      confirm: { isOver(desk.update(.news(.performed(stopped)))) },
      sees: { text in printed.contains { $0.contains(text) } }
    )
  }

  private static func console() -> User {
    var desk = ConsoleDesk()
    desk.answer([push])
    desk.press(.down, .enter)
    _ = desk.choose("d")
    return User(
      ask: { desk.press(.text("q")).contains(.leave) },
      wait: { desk.wait($0).contains(.leave) },
      confirm: { desk.update(.news(.changeEnded)).contains(.leave) },
      sees: { desk.shows($0) }
    )
  }

  private static func consoleWithChat() throws -> User {
    var desk = try ConsoleDesk.connectedChat()
    desk.press("/stop", .enter, .escape)
    return User(
      ask: { desk.press(.text("q")).contains(.leave) },
      wait: { desk.wait($0).contains(.leave) },
      confirm: {
        desk.update(.news(.chat(.changed(ConsoleDesk.chatID, .performed(stopped))))).contains(
          .leave
        )
      },
      sees: { desk.shows($0) }
    )
  }

  private static func consoleInLines() -> User {
    var desk = MenuDesk()
    desk.answer([push])
    desk.type("2", "1", "1")
    func isOver(_ effects: [ConsoleEffect]) -> Bool { desk.hasLeft }
    return User(
      ask: { isOver(desk.type("q", after: .zero)) },
      wait: { isOver(desk.wait($0)) },
      confirm: { isOver(desk.receive(.changeEnded)) },
      sees: { desk.prints($0) }
    )
  }

  // MARK: - Results that are never known

  @Test("a decision without a known result counts until the same request is decided")
  func doubts() {
    var model = ConsoleModel(isReadOnly: false, now: ConsoleDesk.begin)
    let deny = RequestReply.decision(.deny)
    func take(_ outcome: DecisionOutcome?, _ request: ListedRequest) -> Int {
      model.take(.replied(deny, request, outcome, text: ""))
      return model.unconfirmedCount
    }
    let attic = Fingerprint(digest: [UInt8](repeating: 2, count: 32))
    let twin = ListedRequest(
      Self.push.request,
      of: attic,
      at: Self.push.place,
      listedAt: ConsoleDesk.begin
    )
    #expect(take(.unknown, Self.push) == 1)
    for other in [twin, ConsoleDesk.request("a", "rm x"), ConsoleDesk.request("b", "git push")] {
      #expect(take(.decided, other) == 1, "\(other)")
    }
    for outcome in [DecisionOutcome.unknown, .tooLate, .changed, nil] {
      #expect(take(outcome, Self.push) == 1, "\(String(describing: outcome))")
    }
    #expect(take(.unknown, twin) == 2)
    #expect(take(.decided, Self.push) == 1 && take(.decided, twin) == 0)
    for count in 1...2 {
      model.take(.unconfirmed("not confirmed"))
      #expect(model.unconfirmedCount == count)
    }
  }

  @Test("a chat whose decision has an unknown result is not waited for, and fails")
  func doubtInChat() {
    var state = ChatState(sessionID: "s1", newID: ChatDesk.counter())
    for (outcome, isUnknown) in [
      (ChatResult.Outcome.unknown, true), (.tooLate, true), (.failed, true), (.holds, false),
    ] {
      _ = state.take(.performed(ChatResult(kind: .answer(id: "p"), outcome: outcome)), at: .zero)
      #expect(state.hasUnknown == isUnknown && !state.isUnsettled, "\(outcome)")
      #expect(state.unconfirmedCount == (isUnknown ? 1 : 0))
    }
  }

  // MARK: - Messages of a chat that is left

  @Test("a chat that fails in the console: unsent messages are kept, unconfirmed ones are named")
  func left() throws {
    var desk = try ConsoleDesk.connectedChat()
    desk.press("push it", .enter, "and tag it", .enter, "then rest")
    _ = desk.update(.news(.chat(.failed(ConsoleDesk.chatID, "no route"))))
    #expect(desk.shows("not confirmed; check the session before you send it again: 'push it'"))
    #expect(desk.screen.model.unconfirmedCount == 1 && !desk.screen.isUnsettled)
    _ = desk.update(.news(.chat(.opened(ConsoleDesk.chatID, .permissions, history: []))))
    desk.press(.down)
    #expect(desk.shows("and tag it") && desk.shows("then rest"), "\(desk.lines)")
    #expect(!desk.lines.contains { $0.hasSuffix("push it") })
  }

  @Test("the same in the console in lines, where a reply can send what was not sent")
  func leftInLines() throws {
    var desk = MenuDesk()
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    desk.type("4", "1")
    desk.receive(.chat(.opened(ConsoleDesk.chatID, .permissions, history: [])))
    for news in try ChatNews.connected("s1") {
      desk.receive(.chat(.changed(ConsoleDesk.chatID, news)))
    }
    desk.type("push it", "and tag it")
    desk.receive(.chat(.failed(ConsoleDesk.chatID, "no route")))
    #expect(desk.prints("not confirmed; check the session before you send it again: 'push it'"))
    #expect(desk.prints("not sent; reply to the session to send it: and tag it"))
    #expect(desk.prints("no route"))
    #expect(desk.menu.model.drafts[ConsoleDesk.chatID] == "and tag it")
    #expect(desk.menu.model.unconfirmedCount == 1 && !desk.menu.isUnsettled)
  }
}

/// Texts that were not sent, when the console is left.
@Suite struct UnsentTextTests {
  enum Text: CaseIterable, Sendable {
    case reply, newPrompt, chat
  }

  /// A console that has kept a text, and takes its own keys.
  private static func desk(_ text: Text) throws -> ConsoleDesk {
    switch text {
    case .reply:
      var desk = ConsoleDesk()
      desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
      desk.press("3", .home, "r", .text("go on"), .escape)
      return desk
    case .newPrompt:
      var desk = ConsoleDesk()
      let workspace = try #require(ConsoleDesk.workspace("webapp"))
      let order = NewPrompt.Order(workspace: workspace, model: nil, text: "go on")
      _ = desk.update(.news(.work(.notLaunched(order))))
      return desk
    case .chat:
      var desk = ConsoleDesk.openChat()
      desk.press(.text("go on"), .escape)
      return desk
    }
  }

  @Test("leaving asks once before a text is lost; any other key stays", arguments: Text.allCases)
  func asks(text: Text) throws {
    for key in [Key.text("q"), .control("d"), .control("c")] {
      var desk = try Self.desk(text)
      #expect(desk.press(key).isEmpty)
      #expect(desk.shows("1 unsent text; q: leave, any key: stay"), "\(desk.lines)")
      let before = desk.screen.selected
      #expect(desk.press("1").isEmpty && !desk.shows("unsent text"))
      #expect(desk.screen.selected == before, "the key means nothing else")
      #expect(desk.press(key).isEmpty && desk.press(key) == [.leave])
    }
  }

  @Test("with another key for leaving, that key is named and leaves")
  func otherKey() throws {
    var desk = ConsoleDesk(bindings: try KeyBindings(argument: "quit=Q"))
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    desk.press("3", .home, "r", .text("go on"), .escape, "Q")
    #expect(desk.shows("1 unsent text; Q: leave, any key: stay"))
    #expect(desk.press("q").isEmpty)
    #expect(desk.press("Q", "Q") == [.leave])
  }

  @Test("nothing is asked if everything was sent, or on a window without room for a question")
  func nothing() throws {
    var desk = ConsoleDesk()
    #expect(desk.press("q") == [.leave])
    var small = try Self.desk(.reply)
    small.resize(columns: 80, rows: 3)
    #expect(small.press("q").isEmpty && small.press("q") == [.leave])
  }
}
