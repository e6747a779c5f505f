// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ActivityReducerSessionTests {
  private var talk = Conversation()

  private func session(_ status: String, id: String = "s1", parent: String? = nil) throws -> Session
  {
    try #require(
      Session(
        json: .object([
          "id": .string(id), "status": .string(status),
          "parentSessionId": parent.map(JSONValue.string),
        ])
      )
    )
  }

  @Test("the end of the session ends the turn and is reported once")
  mutating func sessionEnded() {
    talk.begin()
    talk.tell(.says("Wait."), .calls("t"))
    let changes = talk.tell(.sessionEnded(reason: "stopped"))
    #expect(
      changes.suffix(2) == [
        .ended(.stopped(reason: "the session ended")),
        .sessionEnded("stopped"),
      ]
    )
    #expect(talk.activity.toolCalls.first?.state == .unfinished)
    #expect(talk.activity.toolCalls.allSatisfy { !$0.isOpen })
    #expect(talk.tell(.sessionEnded(reason: "stopped")).isEmpty)
  }

  @Test("a late state of an ended session starts no turn, and a new connection may")
  mutating func endedBusy() throws {
    let busy = try session("busy")
    talk.begin()
    talk.tell(.sessionEnded(reason: "stopped"))
    #expect(talk.tell(.state(busy)).isEmpty)
    #expect(talk.tell(.connected(busy, currentSequence: 0)) == [.turnStarted(isOwn: false)])
    let again = talk.tell(.sessionEnded(reason: "stopped"))
    #expect(again.last == .sessionEnded("stopped"), "the end of another agent is reported")
  }

  @Test("status lines are gone with the agent, and with the session")
  mutating func statuses() throws {
    let line = ServerMessage.Kind.statusChanged(key: "build", text: "running")
    talk.begin()
    talk.tell(line, .connected(try session("busy"), currentSequence: 100))
    #expect(talk.activity.statuses.map(\.key) == ["build"])
    talk.tell(.connected(try session("busy"), currentSequence: 1))
    #expect(talk.activity.statuses.isEmpty)
    talk.tell(line)
    #expect(talk.activity.statuses.map(\.key) == ["build"])
    talk.tell(.sessionEnded(reason: nil))
    #expect(talk.activity.statuses.isEmpty)
  }

  @Test("a session that is busy when first seen has a turn")
  mutating func joinedLate() throws {
    let busy = try session("busy")
    #expect(talk.tell(.connected(busy, currentSequence: 0)) == [.turnStarted(isOwn: false)])
    #expect(talk.tell(.state(busy), .agentStart).isEmpty)
  }

  @Test("a message may lack its start if its first pieces were sent before the connection")
  mutating func lacksStart() throws {
    talk.begin()
    talk.tell(.textDelta("One"))
    #expect(!talk.activity.mayLackStart)
    var late = Conversation()
    late.tell(.connected(try session("busy"), currentSequence: 0))
    late.tell(.textDelta("f one"))
    #expect(late.activity.mayLackStart)
    #expect(late.tell(.says("If one")) == [.textReplaced("If one"), .textFinished("If one")])
    #expect(!late.activity.mayLackStart)
    late.tell(.textDelta("Two"))
    #expect(!late.activity.mayLackStart)
    var thinking = Conversation()
    thinking.tell(.connected(try session("busy"), currentSequence: 0))
    thinking.tell(.thinkingDelta("Hm"), .textDelta("One"))
    #expect(!thinking.activity.mayLackStart)
  }

  @Test("a session that is briefly ready does not end the turn")
  mutating func ready() throws {
    talk.begin()
    #expect(try talk.tell(.state(session("ready"))).isEmpty)
    #expect(talk.activity.status == .running)
  }

  @Test("sessions with this parent are children, reported when they change")
  mutating func children() throws {
    talk.begin()
    let child = try session("busy", id: "c1", parent: "s1")
    #expect(talk.tell(.state(child), .state(child)) == [.child(ChildSession(child))])
    let done = try session("stopped", id: "c1", parent: "s1")
    #expect(talk.tell(.state(done)) == [.child(ChildSession(done))])
    #expect(talk.activity.children == [ChildSession(done)])
    #expect(try talk.tell(.state(session("busy", id: "x", parent: "y"))).isEmpty)
  }
}
