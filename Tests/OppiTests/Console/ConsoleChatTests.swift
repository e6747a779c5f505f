// SPDX-License-Identifier: MIT

import OppiSystem
import OppiTerminal
import Simulation
import Synchronization
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The chat of the console changes from one session to another.
@Suite struct ConsoleChatTests {
  private static func id(_ session: String) -> ListedSession.ID {
    ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  private static func opened(_ session: String) -> ScreenEvent<ConsoleNews> {
    .news(.chat(.opened(id(session), .permissions, history: [])))
  }

  private static func tab(_ desk: ConsoleDesk) -> ChatTab? {
    desk.screen.tabs.lazy.compactMap { $0 as? ChatTab }.first
  }

  @Test("what was typed into a chat that fails is there when it is opened again")
  func failedDraft() {
    var desk = ConsoleDesk.openChat()
    desk.press("first thought", .enter)
    desk.press("second thought")
    _ = desk.update(.news(.chat(.failed(Self.id("s1"), "no route"))))
    #expect(desk.shows("no route") && desk.cursorLine == "› second thought")
    _ = desk.update(Self.opened("s1"))
    #expect(desk.shows("first thought") && desk.shows("second thought"), "\(desk.lines)")
  }

  @Test("a sentence that is typed into the chat is text, whatever the chat does meanwhile")
  func sentence() throws {
    var desk = ConsoleDesk()
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle), ConsoleDesk.session("s2", .idle)])
    desk.press("4")
    _ = desk.update(.news(.chat(.wanted(Self.id("s1")))))
    #expect(desk.press("q", "u", "e").isEmpty && desk.cursorLine == "› que", "not open yet")
    #expect(desk.press(.enter).isEmpty && desk.shows("the chat is not open yet"))
    _ = desk.update(.news(.chat(.failed(Self.id("s1"), "no route"))))
    #expect(desk.press("r", "y", " ").isEmpty && desk.cursorLine == "› query", "it failed")
    #expect(desk.press(.enter) == [.chat(.open(Self.id("s1")))])
    _ = desk.update(Self.opened("s1"))
    for news in try ChatNews.connected("s1") {
      _ = desk.update(.news(.chat(.changed(Self.id("s1"), news))))
    }
    desk.press("the tests")
    #expect(desk.press(.enter).isEmpty && desk.shows(ReplyField.tooEarlyNotice))
    let sent = desk.press(.enter, after: .seconds(2)).compactMap { effect in
      if case .own(ChatTabEffect.perform(let effect, Self.id("s1"), _)) = effect {
        effect
      } else {
        nil
      }
    }
    #expect(sent.sent == ["prompt query the tests"])
  }

  @Test("what was typed before a chat was open stays with its session")
  func earlyText() {
    var other = ConsoleDesk()
    other.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    other.press("4")
    other.press("for the first")
    _ = other.update(Self.opened("s2"))
    #expect(other.shows("s2") && !other.shows("for the first"), "another one was the latest")
    var desk = ConsoleDesk()
    desk.answer(sessions: ["s1", "s2"].map { ConsoleDesk.session($0, .idle) })
    desk.press("4")
    _ = desk.update(.news(.chat(.wanted(Self.id("s1")))))
    desk.press("for the first")
    _ = desk.update(.news(.chat(.wanted(Self.id("s2")))))
    _ = desk.update(Self.opened("s2"))
    #expect(!desk.shows("for the first"))
    _ = desk.update(.news(.chat(.wanted(Self.id("s1")))))
    desk.wait(.seconds(5))
    _ = desk.update(Self.opened("s1"))
    #expect(desk.cursorLine == "› for the first")
    #expect(desk.press(.enter).isEmpty && desk.shows(ReplyField.tooEarlyNotice), "just opened")
  }

  @Test("what is typed stands at the bottom, and PageUp ends at the first row of the chat")
  func place() throws {
    var desk = try ConsoleDesk.connectedChat()
    desk.press("one")
    let row = try #require(desk.view.cursor?.row)
    #expect(row >= desk.lines.count - 5, "\(desk.lines)")
    for number in 1...40 {
      let page = ChatNews.page(.nothing("row \(number)"))
      _ = desk.update(.news(.chat(.changed(Self.id("s1"), page))))
    }
    #expect(desk.view.cursor?.row == row && desk.shows("row 40"), "\(desk.lines)")
    desk.press(.pageUp, .pageUp, .pageUp, .pageUp, .pageUp, .pageUp)
    #expect(desk.view.cursor?.row == row && desk.lines[2] == "row 1", "\(desk.lines)")
    desk.press(.pageDown)
    #expect(!desk.shows("row 1 ") && desk.lines[2] != "row 1", "each key moves: \(desk.lines)")
  }

  @Test("after Esc the chat has no text cursor, and letters are keys until it is chosen again")
  func released() {
    var desk = ConsoleDesk.openChat()
    desk.press("draft", .escape)
    #expect(desk.cursorLine.hasPrefix("goal of s1") && desk.shows("› draft"))
    desk.press("3")
    #expect(desk.screen.selected == 2)
    desk.press("4", "s")
    #expect(desk.cursorLine == "› drafts")
    desk.press(.escape)
    #expect(desk.press("q").isEmpty && desk.shows("1 unsent text"))
    #expect(desk.press("q") == [.leave])
  }

  @Test("/model is completed by the models of the server, and /thinking by its levels")
  func completes() throws {
    var desk = ConsoleDesk()
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    desk.press("4")
    let model = try #require(LanguageModel(json: ["id": "acme/large"]))
    _ = desk.update(
      .news(.chat(.opened(Self.id("s1"), .permissions, history: [], models: [model])))
    )
    desk.press(.text("/model la"))
    #expect(desk.shows("acme/large"), "\(desk.lines)")
    desk.press(.control("u"), .text("/thinking h"))
    #expect(desk.shows("high"), "\(desk.lines)")
  }

  @Test("/new opens the form of a new prompt, and the draft of the chat stays")
  func new() {
    var desk = ConsoleDesk.openChat()
    #expect(desk.press(.text("/new "), .enter).contains(.work(.listWorkspaces)))
    #expect(desk.screen.selected == 2 && desk.shows("New prompt"))
    desk.press(.escape, "4")
    let again = desk.press(.text("/new "), .enter, after: .seconds(2))
    #expect(again.contains(.work(.listWorkspaces)), "it can be repeated")
  }

  @Test("/resume opens a listed session in the chat, and no other")
  func resumes() throws {
    var desk = ConsoleDesk.openChat()
    let listed = try #require(Session(json: ["id": "s2", "name": "fix the login"]))
    _ = desk.update(.news(.chat(.changed(Self.id("s1"), .sessions([listed])))))
    desk.press(.text("/resume s9 "), .enter)
    #expect(desk.shows("no session 's9' is listed"), "\(desk.lines)")
    #expect(Self.tab(desk)?.session == Self.id("s1"))
    #expect(desk.press(.text("/resume login "), .enter).contains(.chat(.open(Self.id("s2")))))
    #expect(Self.tab(desk)?.session == Self.id("s2"))
  }

  @Test("messages have their time at the right")
  func times() throws {
    let tab = ChatTab(newID: ChatDesk.counter(), moment: { ConsoleDesk.begin })
    var desk = ConsoleDesk(tabs: [tab])
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    _ = desk.update(.news(.chat(.wanted(Self.id("s1")))))
    _ = desk.update(Self.opened("s1"))
    for news in try ChatNews.connected("s1") {
      _ = desk.update(.news(.chat(.changed(Self.id("s1"), news))))
    }
    let message: JSONValue = ["type": "message_end", "role": "user", "content": "hello", "seq": 1]
    _ = desk.update(.news(.chat(.changed(Self.id("s1"), try ChatNews.received(message)))))
    let row = desk.lines.first { $0.contains("hello") } ?? ""
    let time = LocalTime.minute(of: ConsoleDesk.begin, seenAt: ConsoleDesk.begin)
    #expect(row.hasSuffix(time), "\(desk.lines)")
  }

  @Test("a message of a failed chat that may have arrived is named, and not offered again")
  func failedMessage() throws {
    var desk = try ConsoleDesk.connectedChat()
    let isSent = desk.press("push it", .enter).contains { effect in
      guard case .own(ChatTabEffect.perform(let effect, Self.id("s1"), _)) = effect else {
        return false
      }
      return [effect].sent == ["prompt push it"]
    }
    #expect(isSent)
    _ = desk.update(.news(.chat(.failed(Self.id("s1"), "no route"))))
    #expect(desk.shows("not confirmed; check the session before you send it again: 'push it'"))
    _ = desk.update(Self.opened("s1"))
    #expect(desk.screen.model.unconfirmedCount == 1)
    desk.press(.escape)
    #expect(!desk.shows("push it"), "\(desk.lines)")
    // A second chat that closes with nothing open does not settle what the first has left.
    _ = desk.update(.news(.chat(.wanted(Self.id("s2")))))
    #expect(Self.tab(desk)?.session == Self.id("s2"))
    #expect(desk.screen.model.unconfirmedCount == 1)
  }

  @Test("a chat with a message that is not confirmed is not left for another session")
  func unconfirmed() throws {
    var desk = try ConsoleDesk.connectedChat()
    desk.press("push it", .enter)
    #expect(desk.update(.news(.chat(.wanted(Self.id("s2"))))).isEmpty)
    #expect(Self.tab(desk)?.session == Self.id("s1"))
    #expect(desk.shows("the chat waits for a confirmation"))
  }

  @Test("news of the chat with another session change nothing")
  func otherNews() {
    var desk = ConsoleDesk.openChat()
    let told = ChatResult(kind: .stop, text: "no turn is running")
    _ = desk.update(.news(.chat(.changed(Self.id("s2"), .performed(told)))))
    #expect(!desk.shows("no turn is running"))
    _ = desk.update(.news(.chat(.changed(Self.id("s1"), .performed(told)))))
    #expect(desk.shows("no turn is running"))
  }

  @Test("a late opening of another session does not replace the wanted one")
  func late() {
    var desk = ConsoleDesk()
    desk.answer(sessions: ["s1", "s2"].map { ConsoleDesk.session($0, .idle) })
    desk.press("4")
    #expect(desk.update(.news(.chat(.wanted(Self.id("s1"))))) == [.chat(.open(Self.id("s1")))])
    #expect(desk.update(.news(.chat(.wanted(Self.id("s2"))))) == [.chat(.open(Self.id("s2")))])
    _ = desk.update(Self.opened("s1"))
    #expect(Self.tab(desk)?.session == Self.id("s2"))
    #expect(desk.shows(ConsoleEmpty.chat), "the wanted chat is not open yet")
    _ = desk.update(Self.opened("s2"))
    #expect(Self.tab(desk)?.session == Self.id("s2") && desk.shows("goal of s2"))
    // Updates and failures of the other chat are ignored.
    _ = desk.update(Self.opened("s1"))
    _ = desk.update(.news(.chat(.failed(Self.id("s1"), "no route"))))
    #expect(desk.shows("goal of s2") && !desk.shows("no route"))
  }

  @Test("an Enter that was typed in the editor does not send what the editor returns")
  func edited() {
    var desk = ConsoleDesk()
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    #expect(desk.press("4") == [.chat(.open(Self.id("s1")))])
    _ = desk.update(Self.opened("s1"))
    desk.press(.enter)
    desk.wait(.seconds(5))
    _ = desk.update(.edited("push it", failure: nil))
    #expect(desk.shows("push it"))
    #expect(desk.press(.enter).isEmpty && desk.shows(ReplyField.tooEarlyNotice))
    #expect(!desk.press(.enter, after: .seconds(2)).isEmpty, "it was read")
  }

  @Test("an effect of a chat that was closed is not performed in the session that is open now")
  func effects() {
    inWorld { world, _ in
      let sessions = [
        try await world.session(asking: "hello"), try await world.session(asking: "hello"),
      ]
      let context = world.process()
      let server = try #require(try context.serverStore.load().servers.first)
      let ids = sessions.map { ListedSession.ID(serverID: server.id, sessionID: $0) }
      let chat = ConsoleChatConnection(in: context)
      let news = Mutex<[ConsoleNews]>([])
      let opening = Task(executorPreference: world.loop) {
        await chat.open(ids[0]) { item in news.withLock { $0.append(item) } }
      }
      try await world.pass()
      #expect(
        news.withLock {
          $0.contains { if case .own(ChatTabNews.opened) = $0 { true } else { false } }
        }
      )
      let notes = Mutex<[String]>([])
      await chat.perform(.stopTurn, of: ids[1], over: nil) { item in
        if case .failed(let text) = item { notes.withLock { $0.append(text) } }
      }
      #expect(notes.withLock(\.self) == ["not sent: the chat with this session was closed"])
      opening.cancel()
      await opening.value
    }
  }

  @Test(
    "an effect of the chat goes over the stream that it names, also if a newer one is open",
    arguments: [(true, ChatResult.Outcome.holds), (false, .failed)]
  )
  func stream(isKnown: Bool, expected: ChatResult.Outcome) {
    inWorld { world, _ in
      let session = try await world.session(asking: "hello")
      let context = world.process()
      let servers = try context.serverStore.load().servers
      let id = ListedSession.ID(serverID: try #require(servers.first).id, sessionID: session)
      let face = ChangingFace(id: id, takesNews: isKnown)
      let end = try await ConsoleLoop(servers, in: context).run(face) { $0 }
      #expect(end.result?.outcome == expected, "\(String(describing: end.result))")
    }
  }
}

/// A console that opens a chat and requests a change as soon as the chat is connected; its chat takes
/// the news before that, or not yet.
private struct ChangingFace: TerminalFace, ConsoleForm {
  let id: ListedSession.ID
  let takesNews: Bool
  let model = ConsoleModel(isReadOnly: false, now: ConsoleDesk.begin)
  private(set) var chat: ChatState?
  private(set) var result: ChatResult?

  init(id: ListedSession.ID, takesNews: Bool) { (self.id, self.takesNews) = (id, takesNews) }

  var source: @Sendable (@escaping TerminalInputReporter<ConsoleNews>) async -> Void { { _ in } }

  mutating func restore() {}

  mutating func handle(
    _ input: TerminalInput<ConsoleNews>
  ) async throws -> TerminalReaction<ConsoleEffect> {
    guard case .news(let news) = input else { return TerminalReaction() }
    switch news {
    case .paired: return TerminalReaction(effects: [.chat(.open(id))])
    case .own(ChatTabNews.opened):
      chat = ChatState(sessionID: id.sessionID, newID: ChatDesk.counter())
    case .own(ChatTabNews.changed(_, .performed(let result))):
      self.result = result
      return TerminalReaction(isOver: true)
    case .own(ChatTabNews.changed(_, let news)):
      if takesNews { _ = chat?.take(news, at: .zero) }
      guard case .step(.caughtUp, _, _?) = news else { break }
      let effect = ChatEffect.change(.setSessionName("a"), id: "c")
      return TerminalReaction(effects: [.chat(.perform(effect, id, over: chat?.stream))])
    default: break
    }
    return TerminalReaction()
  }
}
