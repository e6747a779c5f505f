// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiModel

/// When the end of a followed turn is final.
@Suite struct FollowStateTests {
  private var state = FollowState(ActivityReducer(sessionID: "s1"), isStreamOpen: true)
  private var now = Duration.zero
  private var sequence = 0

  private static let retry = ServerMessage.Kind.retryStart(
    attempt: 1,
    of: 3,
    delay: .seconds(60),
    error: "overloaded"
  )

  /// Tells messages, one per millisecond.
  @discardableResult
  private mutating func tell(_ kinds: ServerMessage.Kind...) -> [ActivityChange] {
    kinds.flatMap { kind in
      (now, sequence) = (now + .milliseconds(1), sequence + 1)
      let message = ServerMessage(kind, sessionID: "s1", sequence: sequence)
      return state.receive(message, at: now, on: Timestamp(milliseconds: sequence))
    }
  }

  /// Loses the stream, and catches up on another one.
  private mutating func reconnect(_ status: Session.Status, isComplete: Bool = true) {
    state.lost(asPlanned: false)
    now += .seconds(1)
    catchUp(status, isComplete: isComplete)
  }

  private mutating func catchUp(
    _ status: Session.Status,
    isFirst: Bool = false,
    isComplete: Bool = true
  ) {
    let catchUp = FeedState.CatchUp(
      status: status,
      isFirst: isFirst,
      isComplete: isComplete,
      isNewAgent: false
    )
    state.caughtUp(catchUp, at: now)
  }

  /// The time until something is due.
  private var delay: Duration? { state.wakeAt.map { $0 - now } }

  /// What is due at the time that the state names, and nothing a millisecond before it.
  private mutating func whatIsDue() throws -> FollowState.Due? {
    now = try #require(state.wakeAt)
    #expect(state.due(at: now - .milliseconds(1)) == nil)
    return state.due(at: now)
  }

  private mutating func load(_ status: String, _ trace: JSONValue = []) throws -> [ActivityChange]?
  {
    state.loaded(try .s1(status), trace, at: now, on: Timestamp(milliseconds: sequence))
  }

  @Test("a turn that began before the first state, and is over at it, is read from the trace")
  mutating func overAtFirstState() throws {
    catchUp(.ready, isFirst: true)
    #expect(state.wakeAt == nil, "nothing began")
    tell(.agentStart, .hears("go"))
    catchUp(.ready, isFirst: true)
    #expect(try whatIsDue() == .load)
    #expect(try load("ready", [.prompt("go"), .answer("Done.")])?.last == .done("Done."))
  }

  // MARK: - The grace after a run

  @Test("a run that succeeded is over after half a second, and once")
  mutating func success() throws {
    tell(.agentStart, .hears("go"), .says("Done."))
    #expect(state.wakeAt == nil)
    tell(.agentEnd)
    #expect(delay == .milliseconds(500))
    #expect(try whatIsDue() == .changes([.done("Done.")]))
    #expect(state.wakeAt == nil && state.due(at: now + .seconds(600)) == nil)
  }

  @Test("a message after the run's end does not make the wait longer, and a new run ends it")
  mutating func graceFromTheEnd() {
    tell(.agentStart, .hears("go"), .says("Done."), .agentEnd)
    let end = state.wakeAt
    tell(.textDelta(""))
    #expect(state.wakeAt == end)
    tell(.agentStart)
    #expect(state.wakeAt == nil)
  }

  @Test("an agent that reports when nothing follows is awaited for ten seconds")
  mutating func report() throws {
    tell(.agentStart, .hears("go"), .says("One."), .agentEnd, .agentSettled)
    #expect(state.wakeAt == nil)
    tell(.agentStart, .hears("go"), .says("Two."), .agentEnd)
    #expect(delay == .seconds(10))
  }

  @Test("a failed run whose connection was lost may be before a retry, for 15 seconds")
  mutating func pause() throws {
    tell(.agentStart, .hears("go"), .fails("overloaded"), .agentEnd)
    #expect(delay == .milliseconds(500))
    reconnect(.busy)
    #expect(delay == .seconds(15))
    #expect(try whatIsDue() == .changes([.ended(.failed("overloaded"))]))
  }

  @Test("while the stream is away, a failed run does not end, and a successful one does")
  mutating func away() {
    tell(.agentStart, .hears("go"), .fails("overloaded"), .agentEnd)
    state.lost(asPlanned: false)
    #expect(state.wakeAt == nil)
    tell(.agentStart, .hears("go"), .says("Done."), .agentEnd)
    #expect(delay == .milliseconds(500))
  }

  @Test(
    "an announced retry is given up 15 seconds after it was due, if its events may be missed",
    arguments: [true, false]
  )
  mutating func announcedRetry(asPlanned: Bool) throws {
    tell(.agentStart, .hears("go"), .fails("overloaded"), .agentEnd, Self.retry)
    #expect(state.wakeAt == nil)
    state.lost(asPlanned: asPlanned)
    now += .seconds(10)
    catchUp(.busy)
    tell(.textDelta(""))
    // A planned end misses nothing: the stream reports the retry.
    #expect(state.wakeAt == (asPlanned ? nil : .milliseconds(5) + .seconds(75)))
  }

  @Test("an announced compaction is given up after five minutes, if its end may be missed")
  mutating func announcedCompaction() {
    tell(.agentStart, .hears("go"), .says("Done."), .agentEnd, .compactionStart)
    #expect(state.wakeAt == nil)
    reconnect(.busy)
    tell(.textDelta(""))
    #expect(delay == .seconds(300))
  }

  // MARK: - The trace

  @Test(
    "the trace is read at once where news may be missing",
    arguments: [
      (Session.Status.busy, true, true, true), (.ready, true, true, false),
      (.busy, false, true, false), (.busy, false, false, true), (.ready, false, false, true),
    ] as [(Session.Status, Bool, Bool, Bool)]
  )
  mutating func gaps(status: Session.Status, isFirst: Bool, isComplete: Bool, isRead: Bool) {
    catchUp(status, isFirst: isFirst, isComplete: isComplete)
    #expect(state.mustLoad(at: now) == isRead)
    #expect(state.due(at: now) == (isRead ? .load : nil))
  }

  @Test("a trace that cannot be read is read again after two seconds")
  mutating func unreadable() throws {
    catchUp(.busy, isFirst: true)
    state.notLoaded(at: now)
    #expect(!state.mustLoad(at: now) && delay == .seconds(2))
    #expect(try whatIsDue() == .load)
    _ = try load("busy")
    #expect(state.wakeAt == nil)
  }

  @Test("a turn that is lost while the session is idle is read in the trace once more")
  mutating func lostTurn() throws {
    tell(.agentStart, .hears("go"))
    reconnect(.ready, isComplete: false)
    #expect(state.mustLoad(at: now))
    let trace: JSONValue = [.prompt("go")]
    let first = try load("ready", trace)
    if first == nil {
      #expect(delay == .seconds(2))
      #expect(try whatIsDue() == .load)
      #expect(try load("ready", trace) != nil)
    }
    #expect(state.wakeAt == nil && state.activity.isFinished)
  }

  @Test("a message of a run whose end was missed is not continued by the next run")
  mutating func missedEnd() {
    tell(.agentStart, .hears("go"), .textDelta("One"))
    reconnect(.busy, isComplete: false)
    tell(.agentStart, .hears("on"), .textDelta("Two"))
    #expect(state.activity.text == "Two")
  }

  @Test("at the end of the turn, a trace that could not be read is asked for once, without a wait")
  mutating func earlierCalls() throws {
    catchUp(.busy, isFirst: true)
    state.notLoaded(at: now)
    tell(.agentStart, .hears("go"), .says("Done."), .agentEnd)
    #expect(delay == .milliseconds(500))
    #expect(try whatIsDue() == .load)
    state.notLoaded(at: now)
    #expect(state.due(at: now) == .changes([.done("Done.")]))
  }
}

extension FollowState {
  fileprivate var activity: Turn { reducer.activity }
}
