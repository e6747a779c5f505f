// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiModel

/// Follows random turns over connections that are lost, renewed and cut at random.
@Suite struct FollowWalkTests {
  @Test("the end of a turn is reported once, and not before it, however the connection is lost")
  func randomOrder() throws {
    var (told, missed) = (0, 0)
    for seed in UInt64(1)...3000 {
      var walk = FollowWalk(seed: seed)
      for _ in 0..<40 { try walk.step() }
      try walk.end()
      told += walk.told.count
      missed += walk.ended.count - walk.told.count
      #expect(walk.fault == nil, "seed \(seed)")
    }
    // The walk is meaningful only if it reached the rare states.
    #expect(told > 10_000 && missed > 100, "\(told), \(missed)")
  }
}

/// A session whose agent runs turns, and the state of a client that follows it.
private struct FollowWalk {
  private var generator: SeededGenerator
  private var state = FollowState(ActivityReducer(sessionID: "s1"), isStreamOpen: true)
  private var now = Duration.zero
  private var sequence = 0
  private var trace: [JSONValue] = []
  /// What the agent does next in its turn.
  private var rest: ArraySlice<Stage> = []
  private var number = 0
  private var isConnected = true
  private var isRenewal = false
  /// The messages since the connection was lost.
  private var missed: [ServerMessage] = []
  /// The ends of turns at the server, and those that were told.
  private(set) var ended: [String] = []
  private(set) var told: [String] = []
  /// The end of the last turn, if the client has received its start.
  private var seen: String?
  private(set) var fault: String?
  /// Whether the trace is to be read again.
  private var isUnread = false
  /// Whether the agent reports that nothing follows a run, as today's do.
  private let reportsEnds: Bool

  private enum Stage { case start, calls, says, fails, goes, end }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    reportsEnds = seed.isMultiple(of: 2)
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }

  private var status: Session.Status { rest.isEmpty ? .ready : .busy }

  // MARK: - Steps

  mutating func step() throws {
    if fault != nil { return }
    now += .milliseconds(Int.random(in: 1...400, using: &generator))
    switch Int.random(in: 0..<10, using: &generator) {
    case 0 where isConnected:
      (isConnected, isRenewal) = (false, chance(4))
      state.lost(asPlanned: isRenewal)
    case 0...3 where !isConnected: try connect()
    case 1: try pass(mayFail: true)
    default: try act()
    }
    try read(mayFail: true)
  }

  /// Ends the turn and all faults, and passes the time in which the client must have told everything.
  mutating func end() throws {
    if fault != nil { return }
    while !rest.isEmpty { try act() }
    if !isConnected { try connect() }
    for _ in 0..<20 { try pass(mayFail: false) }
    if let wake = state.wakeAt { fault = "still waits until \(wake)" }
    // A turn that was never seen and is over is skipped.
    if let seen, told.last != seen { fault = "told \(told), but ended \(ended)" }
  }

  /// Connects again, with all missed events or only the present state.
  private mutating func connect() throws {
    isConnected = true
    let isComplete = isRenewal || chance(2)
    let session = try Session.s1(status == .busy ? "busy" : "ready")
    let connected = ServerMessage.Kind.connected(session, currentSequence: sequence)
    hear(state.receive(ServerMessage(connected, sessionID: "s1"), at: now, on: time))
    if isComplete { for message in missed { receive(message) } }
    missed = []
    let catchUp = FeedState.CatchUp(
      status: status,
      isFirst: false,
      isComplete: isComplete,
      isNewAgent: false,
      isRenewal: isRenewal
    )
    state.caughtUp(catchUp, at: now)
  }

  /// Passes time until something is due.
  private mutating func pass(mayFail: Bool) throws {
    // No agent is silent for longer in the middle of a turn.
    guard let wake = state.wakeAt, rest.isEmpty || wake < now + .seconds(1) else { return }
    now = max(now, wake)
    switch state.due(at: now) {
    case .load: try load(mayFail: mayFail)
    case .changes(let changes): hear(changes)
    case nil: break
    }
    try read(mayFail: mayFail)
  }

  private mutating func read(mayFail: Bool) throws {
    if state.mustLoad(at: now) { try load(mayFail: mayFail) }
  }

  private mutating func load(mayFail: Bool) throws {
    if mayFail, chance(3) {
      isUnread = true
      return state.notLoaded(at: now)
    }
    let session = try Session.s1(status == .busy ? "busy" : "ready")
    let changes = state.loaded(session, .array(trace), at: now, on: time)
    hear(changes ?? [])
    isUnread = changes == nil
  }

  private var time: Timestamp { Timestamp(milliseconds: Int(now / .milliseconds(1))) }

  // MARK: - The agent

  /// Starts a turn, or does the next thing in it.
  private mutating func act() throws {
    if rest.isEmpty {
      number += 1
      let attempts: [Stage] = chance(4) ? [.fails, .goes, .says] : [.says]
      rest = [.start] + (chance(2) ? [.calls] : []) + attempts + [.end]
    }
    switch rest.removeFirst() {
    case .goes: send(.agentStart)
    case .start:
      seen = nil
      send(.agentStart)
      trace.append(.prompt("go \(number)"))
      send(.hears("go \(number)"))
    case .calls: send(.textDelta("Answer"))
    case .says:
      trace.append(.answer("Answer \(number)."))
      send(.says("Answer \(number)."))
    case .fails:
      send(.fails("overloaded"))
      send(.agentEnd)
      send(.retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "overloaded"))
    case .end:
      ended.append("Answer \(number).")
      send(.agentEnd)
      if reportsEnds { send(.agentSettled) }
    }
  }

  private mutating func send(_ kind: ServerMessage.Kind) {
    sequence += 1
    let message = ServerMessage(kind, sessionID: "s1", sequence: sequence)
    if isConnected { receive(message) } else { missed.append(message) }
  }

  private mutating func receive(_ message: ServerMessage) {
    if case .agentStart = message.kind { seen = "Answer \(number)." }
    hear(state.receive(message, at: now, on: time))
  }

  private mutating func hear(_ changes: [ActivityChange]) {
    for case .turnFinished(let outcome, _) in changes {
      let answer = outcome.answer ?? "\(outcome)"
      if told.contains(answer) { fault = fault ?? "told \(answer) twice" }
      // What neither the stream nor a trace has shown is not known.
      if isUnread, !ended.contains(answer) {
        seen = nil
        continue
      }
      if !ended.contains(answer) { fault = fault ?? "told \(answer), but ended \(ended)" }
      told.append(answer)
    }
  }
}
