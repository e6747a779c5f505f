// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// Chat messages when the server goes down: each runs once, or is reported with its text.
@Suite struct ChatLossTests {
  @Test("all messages that were not sent are named at the end")
  func namesAll() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      await server.end(.killed)
      try await talk.see("connection lost")
      for text in ["one of them", "another", "the third"] { talk.say(text) }
      try await talk.see("not sent yet: the third")
      talk.type(ChatTerminal.end + ChatTerminal.end)
      let outcome = try await talk.end(status: 69)
      let line = "oppi: not sent, the session was unreachable: 'one of them' and 2 more"
      #expect(outcome.errorLines.contains(line) && server.heard.isEmpty, "\(outcome)")
      for text in ["one of them", "another", "the third"] {
        #expect(outcome.errors.contains("message: \(text)\n"), "\(outcome)")
      }
    }
  }

  @Test("unsent messages are named separately from a message of unknown delivery")
  func namesBoth() {
    inTroubledWorld { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      trouble.begin { $0.isPrompt ? .hang : .proceed }
      talk.say("did you hear")
      try await talk.say("and this", see: "not sent yet: and this")
      talk.type(ChatTerminal.end)
      try await world.pass(.seconds(1))
      talk.type(ChatTerminal.end)
      let outcome = try await talk.end(status: 6)
      #expect(outcome.errors.contains("delivery unknown, not resent: 'did you hear'"), "\(outcome)")
      #expect(outcome.errors.contains("message: did you hear\n"), "\(outcome)")
      #expect(outcome.errors.contains("not sent: and this\n"), "\(outcome)")
      #expect(server.heard.isEmpty, "nothing is sent again")
    }
  }

  @Test("messages typed while the server is down run once each, in order", arguments: Dialect.all)
  func severalAway(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      await server.end(.killed)
      try await talk.see("connection lost")
      for text in ["hello 1", "hello 2", "hello 3"] { talk.say(text) }
      try await talk.see("not sent yet: hello 3")
      try server.start()
      try await world.pass(.seconds(60))
      #expect(server.heard == ["hello 1", "hello 2", "hello 3"], "\(talk.lines)")
      try await talk.seeNo("not sent yet")
      try await talk.leave()
    }
  }

  @Test(
    "messages queued on an older server are reported as lost when its agent is gone",
    arguments: [VirtualServer.End.inOrder, .killed]
  )
  func lostQueue(end: VirtualServer.End) {
    inWorld(.perSession) { world, server in
      let talk = try await ChatTerminal(in: world)
      // The turn waits for approval.
      talk.say("deploy")
      talk.say("hello 2")
      try await world.pass()
      #expect(server.deliveries == ["prompt", "follow_up"], "\(talk.lines)")
      await server.end(end)
      try await world.pass(.seconds(10))
      try server.start()
      try await talk.see("lost from the queue, may have run: hello 2")
      #expect(server.heard == ["deploy"], "\(server.heard)")
      try await talk.leave()
    }
  }

  @Test(
    "an accepted message that was neither listed nor seen to start is reported as lost",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func lostBeforeItsReport(dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("slow 1", see: "Starting slow work.")
      trouble.begin { step in
        guard case .message(let json, _) = step, json["clientTurnId"].string != nil else {
          return .proceed
        }
        let acknowledgement: JSONValue = [
          "type": "turn_ack", "command": json["type"], "clientTurnId": json["clientTurnId"],
          "stage": "dispatched",
        ]
        return .reply([acknowledgement])
      }
      talk.say("hello 2")
      try await world.pass(.seconds(15))
      await server.end(.killed)
      trouble.end()
      try server.start()
      try await talk.see("lost from the queue, may have run: hello 2")
      try await talk.leave()
    }
  }

  @Test("messages queued on an older server are reported as lost when their session is ended")
  func endedSession() {
    inWorld(.perSession) { world, server in
      let talk = try await ChatTerminal(in: world)
      talk.say("deploy")
      talk.say("hello 2")
      try await world.pass()
      let sessions = await world.oppi("sessions", "--json")
      let id = try #require(sessions.json["sessions"].array?.first?["id"].string)
      let streams = server.streams
      await world.oppi("stop", "--session", "--", id, exits: 0)
      try await talk.see("lost from the queue, may have run: hello 2")
      #expect(server.streams == streams, "reported before a message restarts the session")
      try await talk.leave()
    }
  }

  @Test(
    "a stop reports messages that an older server may still have queued",
    arguments: Dialect.both
  )
  func queueAfterStop(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      talk.say("deploy")
      try await talk.say("hello 2", see: "waiting for approval: bash")
      try await world.pass(.seconds(3))
      #expect(server.deliveries == ["prompt", "follow_up"], "\(talk.lines)")
      try await talk.type(ChatTerminal.interrupt, see: "the turn was stopped")
      try await world.pass(.seconds(3))
      let isTold = talk.shows("may still be queued and run with the next prompt: hello 2")
      #expect(isTold == (dialect == .perSession), "\(talk.lines)")
      try await talk.leave()
    }
  }

  @Test("a queued message that an older server has run is not reported as lost")
  func ranQueue() {
    inWorld(.perSession) { world, server in
      let talk = try await ChatTerminal(in: world)
      talk.say("deploy")
      talk.say("hello 2")
      try await world.pass()
      let waiting = await world.oppi("approvals", "--json")
      let id = try #require(waiting.json["approvals"].array?.first?["id"].string)
      await world.oppi("approve", "--", id, exits: 0)
      try await talk.see("The command printed: hi")
      #expect(server.deliveries == ["prompt", "follow_up"], "\(talk.lines)")
      await server.end(.killed)
      try await world.pass(.seconds(10))
      try server.start()
      try await talk.see("reconnected")
      #expect(!talk.shows("lost from the queue"), "\(talk.lines)")
      try await talk.leave()
    }
  }
}

/// Replies over a stream that is lost before the server has them.
@Suite struct LostReplyTests {
  private static func lose(_ desk: inout ChatDesk) throws {
    let loss = SessionNews.lost(.hungUp(server: "studio"))
    _ = desk.update(.news(.step(loss, desk.reducer.activity, nil)))
    _ = try desk.connect("busy")
  }

  @Test("a request that the server repeats on the next connection can be replied to again")
  func repeated() throws {
    var desk = try ChatDesk.asked()
    #expect(desk.choose("a").decisions == [.allow])
    _ = desk.update(.news(.performed(ChatResult(kind: .answer(id: "p1")))))
    // On the same connection a repeat says nothing about the reply.
    try desk.ask()
    #expect(desk.screen.panel == nil)
    try Self.lose(&desk)
    #expect(desk.screen.panel == nil)
    try desk.ask()
    #expect(desk.screen.panel != nil)
    #expect(desk.choose("a").decisions == [.allow])
    // This reply is of the present connection.
    try desk.ask()
    #expect(desk.screen.panel == nil)
  }

  @Test("a repeat says nothing about a reply whose result is still to come")
  func underWay() throws {
    var desk = try ChatDesk.asked()
    #expect(desk.choose("a").decisions == [.allow])
    try Self.lose(&desk)
    try desk.ask()
    #expect(desk.screen.panel == nil)
  }

  @Test("a reply on the new connection is not doubted because of a repeat that comes after it")
  func repliedBeforeTheRepeat() throws {
    var desk = try ChatDesk.asked()
    #expect(desk.choose("a").decisions == [.allow])
    try Self.lose(&desk)
    let failed = ChatResult(kind: .answer(id: "p1"), text: "failed: away", outcome: .failed)
    _ = desk.update(.news(.performed(failed)))
    #expect(desk.choose("a").decisions == [.allow])
    try desk.ask()
    #expect(desk.screen.panel == nil)
  }

  @Test("a chat says that a reply was lost, and the next one decides")
  func decidesAgain() {
    inTroubledWorld(.perSession) { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("deploy", see: "waiting for approval")
      trouble.begin { step in
        guard step.isMessage("permission_response") else { return .proceed }
        trouble.end()
        return .drop
      }
      try await talk.choose("a")
      try await talk.see(QuestionText.lost)
      try await talk.choose("a")
      try await talk.see("The branch is pushed.")
      #expect(server.messages.count { $0.type == "permission_response" } == 2)
      try await talk.leave()
    }
  }
}
