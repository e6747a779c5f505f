// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// What only newer servers report: the end of a turn, arguments in pieces, and named agents.
@Suite struct ActivityReducerSettlingTests {
  private var talk = Conversation()

  private static func session(_ status: String, _ members: JSONObject = [:]) throws -> Session {
    let members = JSONObject([("id", "s1"), ("status", .string(status))]).adding(members)
    return try #require(Session(json: .object(members)))
  }

  private static func update(_ id: String, _ arguments: JSONValue) -> ServerMessage.Kind {
    .toolUpdate(ToolCall(id: id, tool: "bash", arguments: arguments))
  }

  // MARK: - The end of a turn

  @Test("a turn ends when the agent reports that nothing follows")
  mutating func settled() {
    talk.begin()
    talk.tell(.says("Done."), .agentEnd)
    #expect(talk.reducer.isSettling && !talk.reducer.awaitsReport)
    #expect(talk.tell(.agentSettled) == [.done("Done.")])
    #expect(!talk.reducer.isSettling)
    #expect(talk.tell(.agentSettled).isEmpty)
    // From now on, the report is known to come.
    talk.begin()
    talk.tell(.says("Again."), .agentEnd)
    #expect(talk.reducer.isSettling && talk.reducer.awaitsReport)
  }

  @Test("a turn continues through a retry and a compaction until the agent reports its end")
  mutating func sequels() {
    talk.begin()
    talk.tell(.fails("overloaded"), .agentEnd)
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "overloaded"))
    talk.tell(.agentStart, .says("Done."), .agentEnd, .compactionStart)
    #expect(!talk.reducer.isSettling)
    #expect(talk.tell(.agentSettled) == [.done("Done.")])
  }

  @Test("a run that has not ended is not settled, and a queued prompt keeps waiting")
  mutating func early() {
    talk.begin()
    #expect(talk.tell(.agentSettled).isEmpty)
    #expect(talk.activity.status == .running)
    _ = talk.handOver("next", queued: true)
    talk.tell(.says("Done."), .agentEnd)
    #expect(talk.tell(.agentSettled).count == 1)
    #expect(talk.reducer.expectsNews)
    talk.tell(.agentStart)
    #expect(
      talk.tell(.hears("next"), .says("Next."), .agentEnd, .agentSettled).last
        == .done("Next.", own: true)
    )
  }

  @Test("the events of an agent that reported the end of its turn announce no retry")
  func retries() {
    let failed: [ServerMessage] = [.agentStart, .fails("overloaded"), .agentEnd].map { .init($0) }
    #expect(failed.mayBeRetried)
    #expect(!(failed + [.init(.agentSettled)]).mayBeRetried)
    #expect((failed + [.init(.agentSettled)] + failed).mayBeRetried)
  }

  @Test("an agent pauses after a failed run until it continues, or until nothing follows")
  func pauses() {
    func pause(_ kinds: [ServerMessage.Kind]) -> RunPause? {
      ([.agentStart] + kinds).map { ServerMessage($0) }.pause
    }
    let failed: [ServerMessage.Kind] = [.fails("overloaded"), .says(""), .agentEnd]
    let silent: [ServerMessage.Kind] = [.says(""), .agentEnd]
    let retry = ServerMessage.Kind.retryStart(
      attempt: 1,
      of: 3,
      delay: .seconds(2),
      error: "overloaded"
    )
    #expect(pause(failed) == .possible)
    #expect(pause(silent) == nil)
    for run in [failed, silent] {
      #expect(pause(run + [retry]) == .retry(after: .seconds(2)))
      #expect(pause(run + [.compactionStart]) == .compaction)
      #expect(pause(run + [.compactionStart, .compactionEnd(willRetry: true)]) == .compaction)
      #expect(pause(run + [.compactionStart, .compactionEnd(willRetry: false)]) == nil)
      #expect(pause(run + [retry, .retryEnd(success: false, error: "overloaded")]) == nil)
      for end in [ServerMessage.Kind.agentStart, .agentSettled] {
        #expect(pause(run + [retry, end]) == nil)
      }
    }
    #expect(pause([.says("Done."), .agentEnd, .compactionStart]) == nil)
    #expect(pause(failed + [.stopConfirmed(reason: nil)]) == nil)
    // Servers answer a stop during the pause with this, and the agent continues.
    #expect(pause(failed + [.stopConfirmed(reason: "Session already idle")]) == .possible)
  }

  @Test("a summary of the session joins its turn, and that of a child is the child's")
  mutating func summaries() throws {
    #expect(talk.tell(.summary(try Self.session("busy"))) == [.turnStarted(isOwn: false)])
    let child = try Self.session("busy", ["id": "c1", "parentSessionId": "s1"])
    #expect(talk.tell(.summary(child)) == [.child(ChildSession(child))])
    let other = try Self.session("busy", ["id": "o1"])
    #expect(talk.tell(.summary(other)).isEmpty)
  }

  // MARK: - Calls

  @Test("arguments in pieces plan a call, whose start runs it")
  mutating func lateStart() {
    talk.begin()
    #expect(talk.tell(Self.update("t", [:])).count == 1)
    #expect(talk.tell(Self.update("t", ["command": "l"])).isEmpty)
    #expect(talk.activity.toolCalls.map(\.state) == [.planned])
    #expect(talk.activity.toolCalls[0].arguments == ["command": "l"])
    // The start may also have been reported before the first piece that was heard.
    #expect(talk.tell(.says("")) == [.toolStarted(talk.activity.toolCalls[0])])
    #expect(talk.tell(.calls("t")).isEmpty)
    #expect(talk.tell(Self.update("t", [:])).isEmpty)
    #expect(talk.activity.toolCalls[0].state == .running)
    // From now on, the start is known to come.
    talk.tell(.returns("t"), Self.update("u", [:]))
    #expect(talk.tell(.says("")).isEmpty)
    #expect(talk.tell(.calls("u")) == [.toolStarted(talk.activity.toolCalls[1])])
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded, .running])
  }

  @Test("a call that is heard from the middle of its arguments on runs at the end of the message")
  mutating func heardFromTheMiddle() {
    talk.begin()
    talk.tell(Self.update("t", ["command": "sleep 3600"]))
    #expect(talk.tell(.says("")) == [.toolStarted(talk.activity.toolCalls[0])])
    #expect(talk.activity.toolCalls.map(\.state) == [.running])
    talk.tell(.returns("t"))
    // The start of the next call tells which kind of server it is.
    talk.tell(.calls("u", "bash", [:]), Self.update("u", ["command": "ls"]))
    #expect(talk.tell(.says("")) == [.toolStarted(talk.activity.toolCalls[1])])
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded, .running])
  }

  @Test("a call that is reported before its arguments runs at the end of the message")
  mutating func earlyStart() {
    talk.begin()
    talk.tell(.calls("t", "bash", [:]))
    #expect(talk.activity.toolCalls.map(\.state) == [.planned])
    #expect(talk.tell(Self.update("t", ["command": "ls"])).isEmpty)
    #expect(talk.tell(.says("")) == [.toolStarted(talk.activity.toolCalls[0])])
    talk.tell(.returns("t"))
    // Without any argument there is no piece, but the server is known by now.
    talk.tell(.calls("u", "bash", [:]))
    #expect(talk.tell(.says("")) == [.toolStarted(talk.activity.toolCalls[1])])
    talk.tell(.prints("u", "out"), .returns("u"))
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded, .succeeded])
  }

  // MARK: - Another stream

  /// A turn of this program in which the agent writes, and whose stream is replaced.
  private mutating func reconnect(
    sequence: Int,
    epoch: String = "a",
    _ missed: ServerMessage...
  ) throws -> [ActivityChange] {
    let connected = ServerMessage(
      .connected(try Self.session("busy"), currentSequence: sequence),
      epoch: epoch
    )
    return ([connected] + missed).flatMap { talk.reducer.apply($0, at: talk.now) }
  }

  @Test("a message that is cut by another stream is reported once, without a gap")
  mutating func cutMessage() throws {
    _ = talk.handOver("go")
    talk.tell(.agentStart, .hears("go"))
    #expect(talk.tell(.textDelta("One, t")) == [.text("One, t")])
    #expect(try reconnect(sequence: 2).isEmpty)
    #expect(talk.tell(.textDelta("hree, four")).isEmpty)
    #expect(
      talk.tell(.says("One, two, three, four."))
        == [.text("wo, three, four."), .textFinished("One, two, three, four.")]
    )
    #expect(talk.tell(.textDelta("Next")) == [.text("Next")])
  }

  @Test("after missed events, pieces are reported from the next message on")
  mutating func missedStart() throws {
    _ = talk.handOver("go")
    talk.tell(.agentStart, .hears("go"), .calls("t"), .says(""), .calls("t"))
    let ended = ServerMessage(
      .toolEnd(callID: "t", tool: "bash", isError: false, details: .null),
      sequence: 6
    )
    _ = try reconnect(sequence: 6, ended)
    // The message may have begun before the connection.
    #expect(talk.tell(.textDelta("o begins late")).isEmpty)
    let said = ServerMessage(.says("It also begins late."), sequence: 7)
    #expect(
      talk.reducer.apply(said, at: talk.now)
        == [.text("It also begins late."), .textFinished("It also begins late.")]
    )
    #expect(talk.tell(.textDelta("Whole")) == [.text("Whole")])
  }

  @Test("a tool that ends after the connection shows that the next message is whole")
  mutating func toolBetween() throws {
    _ = talk.handOver("go")
    talk.tell(.agentStart, .hears("go"), .calls("t"), .says(""), .calls("t"))
    _ = try reconnect(sequence: 5)
    talk.tell(.prints("t", "out"), .returns("t"))
    #expect(talk.tell(.textDelta("Whole")) == [.text("Whole")])
  }

  @Test("another named agent is a new one, even if its number is higher")
  mutating func otherAgent() throws {
    _ = try reconnect(sequence: 3, epoch: "a")
    let start = ServerMessage(.agentStart, sequence: 4)
    #expect(talk.reducer.apply(start, at: talk.now).isEmpty)
    _ = try reconnect(sequence: 9, epoch: "b")
    // The run of the first agent is gone.
    let again = ServerMessage(.agentStart, sequence: 10)
    let changes = talk.reducer.apply(again, at: talk.now)
    #expect(changes.last == .turnStarted(isOwn: false))
    #expect(changes.first == .ended(.unknown(reason: UnknownReason.agentLost)))
  }
}
