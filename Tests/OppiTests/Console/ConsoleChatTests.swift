// SPDX-License-Identifier: MIT

import OppiSystem
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

/// The chat of the console changes from one session to another.
@Suite struct ConsoleChatTests {
  private static func id(_ session: String) -> BoardSession.ID {
    BoardSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  private static let pipe = OutputPolicy.Destination(
    isOutputTerminal: false,
    isErrorTerminal: false,
    width: nil
  )

  private static func opened(_ session: String) -> ScreenEvent<ConsoleNews> {
    .news(.chatOpened(id(session), .permissions, history: []))
  }

  private static func tab(_ desk: ConsoleDesk) -> ChatTab? {
    desk.screen.tabs.lazy.compactMap { $0 as? ChatTab }.first
  }

  /// The chat with the first of two sessions, which takes the keys; it is not connected.
  private static func chat() -> ConsoleDesk {
    var desk = ConsoleDesk()
    desk.answer(sessions: ["s1", "s2"].map { ConsoleDesk.session($0, .idle) })
    desk.press("1")
    _ = desk.update(.news(.chatWanted(id("s1"))))
    _ = desk.update(opened("s1"))
    desk.press(.enter)
    desk.wait(.seconds(2))
    return desk
  }

  /// Connects the first session, which is idle.
  private static func connect(_ desk: inout ConsoleDesk) throws {
    let session: JSONValue = ["id": "s1", "status": "ready", "workspaceId": "W"]
    let json: JSONValue = ["type": "connected", "session": session, "currentSeq": 0]
    let message = try #require(ServerMessage(json: json))
    var reducer = ActivityReducer(sessionID: "s1")
    let changes = reducer.apply(message, at: ConsoleDesk.begin)
    let catchUp = FeedState.CatchUp(
      status: .ready,
      isFirst: true,
      isComplete: true,
      isNewAgent: false
    )
    for step in [SessionNews.changes(changes, of: message), .caughtUp(catchUp)] {
      _ = desk.update(.news(.chat(id("s1"), .step(step, reducer.activity, nil))))
    }
  }

  @Test("what was typed into a chat that fails is there when it is opened again")
  func failedDraft() {
    var desk = Self.chat()
    desk.press("first thought", .enter)
    desk.press("second thought")
    _ = desk.update(.news(.chatFailed(Self.id("s1"), "no route")))
    #expect(desk.shows("no route") && !desk.shows("second thought"))
    _ = desk.update(Self.opened("s1"))
    #expect(desk.shows("first thought") && desk.shows("second thought"), "\(desk.lines)")
    #expect(Self.tab(desk)?.takesAllKeys == false, "keys are for the console again")
  }

  @Test("a message of a failed chat that may have arrived is named, and not offered again")
  func failedMessage() throws {
    var desk = Self.chat()
    try Self.connect(&desk)
    let isSent = desk.press("push it", .enter).contains { effect in
      if case .chat(.perform(.send), Self.id("s1"), _) = effect { true } else { false }
    }
    #expect(isSent)
    _ = desk.update(.news(.chatFailed(Self.id("s1"), "no route")))
    #expect(desk.shows("not confirmed; check the session before you send it again: 'push it'"))
    _ = desk.update(Self.opened("s1"))
    #expect(Self.tab(desk)?.isUnsettled == true)
    desk.press(.escape)
    #expect(!desk.shows("push it"), "\(desk.lines)")
    // A second chat that closes with nothing open does not settle what the first has left.
    _ = desk.update(.news(.chatWanted(Self.id("s2"))))
    #expect(Self.tab(desk)?.session == Self.id("s2"))
    #expect(Self.tab(desk)?.isUnsettled == true)
  }

  @Test("a chat with a message that is not confirmed is not left for another session")
  func unconfirmed() throws {
    var desk = Self.chat()
    try Self.connect(&desk)
    desk.press("push it", .enter)
    #expect(desk.update(.news(.chatWanted(Self.id("s2")))).isEmpty)
    #expect(Self.tab(desk)?.session == Self.id("s1"))
    #expect(desk.shows("the chat waits for a confirmation"))
  }

  @Test("news of the chat with another session change nothing")
  func otherNews() {
    var desk = Self.chat()
    let told = ChatResult(kind: .stop, text: "no turn is running")
    _ = desk.update(.news(.chat(Self.id("s2"), .performed(told))))
    #expect(!desk.shows("no turn is running"))
    _ = desk.update(.news(.chat(Self.id("s1"), .performed(told))))
    #expect(desk.shows("no turn is running"))
  }

  @Test("a late opening of another session does not replace the wanted one")
  func late() {
    var desk = ConsoleDesk()
    desk.answer(sessions: ["s1", "s2"].map { ConsoleDesk.session($0, .idle) })
    desk.press("1")
    #expect(desk.update(.news(.chatWanted(Self.id("s1")))) == [.openChat(Self.id("s1"))])
    #expect(desk.update(.news(.chatWanted(Self.id("s2")))) == [.openChat(Self.id("s2"))])
    _ = desk.update(Self.opened("s1"))
    #expect(Self.tab(desk)?.session == Self.id("s2"))
    #expect(desk.shows(ConsoleEmpty.chat), "the wanted chat is not open yet")
    _ = desk.update(Self.opened("s2"))
    #expect(Self.tab(desk)?.session == Self.id("s2") && desk.shows("goal of s2"))
    // Updates and failures of the other chat are ignored.
    _ = desk.update(Self.opened("s1"))
    _ = desk.update(.news(.chatFailed(Self.id("s1"), "no route")))
    #expect(desk.shows("goal of s2") && !desk.shows("no route"))
  }

  @Test("an Enter that was typed in the editor does not send what the editor returns")
  func edited() {
    var desk = ConsoleDesk()
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    #expect(desk.press("1") == [.openChat(Self.id("s1"))])
    _ = desk.update(Self.opened("s1"))
    desk.press(.enter)
    desk.wait(.seconds(5))
    _ = desk.update(.edited("push it", failure: nil))
    #expect(desk.shows("push it"))
    #expect(desk.press(.enter).isEmpty && desk.shows(ReplyField.tooEarlyNotice))
    #expect(!desk.press(.enter, after: .seconds(2)).isEmpty, "it was read")
  }

  @Test("an effect of a chat that was closed is not performed in the session that is open now")
  func effects() throws {
    let bench = try CommandBench()
    for _ in 0..<2 { _ = try bench.run(["ask", "-w", "demo", "hello"]) }
    try onLoop { loop in
      let policy = OutputPolicy(options: GlobalOptions(), environment: [:], destination: Self.pipe)
      let output = Output(policy: policy, on: loop) { _, _ in }
      let context = bench.context(output, on: loop)
      let server = try #require(try context.intents.serverStore.load().servers.first)
      let api = try await context.connections.client(for: server)
      let sessions = try await api.until(.farOff).listSessions()
      let ids = sessions.map { BoardSession.ID(serverID: server.id, sessionID: $0.id) }
      try #require(ids.count == 2)
      let chat = ConsoleChatConnection(in: context)
      let (news, tell) = AsyncStream<ConsoleNews>.makeStream()
      let opening = Task(executorPreference: loop) { await chat.open(ids[0]) { tell.yield($0) } }
      for await item in news { if case .chatOpened = item { break } }
      let (told, note) = AsyncStream<ConsoleNews>.makeStream()
      await chat.perform(.stopTurn, of: ids[1], over: nil) { note.yield($0) }
      note.finish()
      var notes: [String] = []
      for await item in told { if case .note(let text) = item { notes.append(text) } }
      #expect(notes == ["not sent: the chat with this session was closed"])
      opening.cancel()
      await opening.value
    }
  }
}
