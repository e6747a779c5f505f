// SPDX-License-Identifier: MIT

import HTTPCodec
import LoopbackServer
import OppiIntents
import OppiModel
import OppiTransport
import Synchronization
import Testing

/// Prompts of which it is hard to know what became of them.
@Suite struct DoubtTests {
  private static func failure(
    _ body: () async throws(AskFailure) -> AskDelivery
  ) async -> (AskFailure.Delivery?, PromptDelivery.Progress?) {
    do throws(AskFailure) {
      return (nil, try await body().outcome.state)
    } catch {
      return (error.delivery, nil)
    }
  }

  @Test("a slow start is part of the wait for a turn alone", arguments: Bench.dialects)
  func slowStart(dialect: PairedServer.Dialect) throws {
    let bench = try Bench(dialect) { $0.agentStartDelay = .milliseconds(800) }
    let (short, long) = try bench.run { desk in
      var limits = AskLimits()
      limits.delivery.total = .milliseconds(400)
      let short = await Self.failure { () async throws(AskFailure) in
        try await desk.ask("short", limits: limits)
      }
      limits.delivery.total = nil
      let long = await Self.failure { () async throws(AskFailure) in
        try await desk.ask("long", limits: limits, waitingForTurn: true)
      }
      return (short, long)
    }
    #expect(short.0 == .unknown(.starting))
    #expect(long.1 == .started)
  }

  @Test(
    "a prompt that an older server's agent refuses in silence is found to be refused",
    arguments: Bench.dialects
  )
  func silentRefusal(dialect: PairedServer.Dialect) throws {
    let bench = try Bench(dialect) { $0.isEarly = true }
    let (new, old) = try bench.run { desk in
      var limits = AskLimits()
      limits.delivery.total = nil
      limits.delivery.silence = .milliseconds(50)
      let new = await Self.failure { () async throws(AskFailure) in
        try await desk.ask("refuse", limits: limits, waitingForTurn: true)
      }
      let first = try await desk.ask("hello")
      let session = desk.session(of: first.outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      let old = await Self.failure { () async throws(AskFailure) in
        try await desk.ask("refuse", in: session, limits: limits, waitingForTurn: true)
      }
      return (new, old)
    }
    #expect(new.0 == .refused(.silent))
    #expect(old.0 == .refused(.silent))
    #expect(bench.server.journal.runs.map(\.text) == ["hello"])
  }

  @Test("an agent that is only slow to show itself is not taken for one that refused")
  func slowIsNotSilent() throws {
    let bench = try Bench(.perSession) { $0.agentStartDelay = .milliseconds(300) }
    let (refusal, progress) = try bench.run { desk in
      var limits = AskLimits()
      limits.delivery.total = nil
      limits.delivery.silence = .milliseconds(20)
      return await Self.failure { () async throws(AskFailure) in
        try await desk.ask("hello", limits: limits, waitingForTurn: true)
      }
    }
    #expect(refusal == nil && progress == .started)
  }

  /// What becomes of the first prompt before the server is killed.
  enum Fate: CaseIterable, Sendable {
    case runs
    case isOver
    case isLost

    var intervention: Intervention { self == .isLost ? .drop : .performThenDrop }
  }

  @Test(
    "a server that is killed and comes back under an ask never runs the prompt twice",
    arguments: Bench.dialects,
    Fate.allCases
  )
  func crash(dialect: PairedServer.Dialect, fate: Fate) throws {
    let gate = Gate(fate.intervention)
    let bench = try Bench(dialect) {
      // What was not over stays so until the server is killed.
      if fate == .runs { $0.pace = .seconds(60) }
      $0.interceptor = { gate.intervention(at: $0) }
    }
    let (result, next) = try bench.run { [server = bench.server] desk in
      async let asking = Self.failure { () async throws(AskFailure) in
        try await desk.ask("once")
      }
      try await server.wait { $0.messages.contains { $0.type == "prompt" } }
      if fate != .isLost {
        let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
        if fate == .isOver { try await desk.poll(id) { $0.contains { $0.kind == .agentEnd } } }
      }
      let remains = await server.crash()
      let next = try LoopbackServer.start(LoopbackServer.Configuration(dialect), from: remains)
      return (await asking, next)
    }
    let runs = bench.server.journal.runs + next.journal.runs
    #expect(runs.count == (fate == .isLost ? 0 : 1))
    // Only what was written is a proof; a prompt that is not may have run or not.
    #expect(result.0 == (fate == .isOver ? nil : .unknown(.agentGone)), "\(result)")
    #expect(result.1 == (fate == .isOver ? .accepted : nil), "\(result)")
  }

  @Test(
    "a prompt that was refused and is asked again under its id is not said to be accepted",
    arguments: [false, true]
  )
  func duplicateOfRefused(isWaiting: Bool) throws {
    let bench = try Bench()
    let (first, second) = try bench.run { desk in
      var limits = AskLimits()
      limits.delivery.total = .seconds(2)
      let session = desk.session(of: try await desk.ask("hello").outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      let first = await Self.failure { () async throws(AskFailure) in
        try await desk.ask("refuse", in: session, id: "same", limits: limits)
      }
      let second = await Self.failure { () async throws(AskFailure) in
        try await desk.ask(
          "refuse",
          in: session,
          id: "same",
          limits: limits,
          waitingForTurn: isWaiting
        )
      }
      return (first, second)
    }
    guard case .refused(.agentRefused)? = first.0 else {
      Issue.record("\(first)")
      return
    }
    // The server's word is a duplicate of a turn that shows no sign of life.
    #expect(second.1 == nil, "\(second)")
    #expect(bench.server.journal.runs.map(\.text) == ["hello"])
  }

  @Test(
    "a connection that breaks in the middle of the server's word makes no second run",
    arguments: Bench.dialects,
    [false, true]
  )
  func cutInAcknowledgement(dialect: PairedServer.Dialect, isNew: Bool) throws {
    let bench = try Bench(dialect)
    let result = try bench.run { [relay = bench.relay] desk in
      var session: ServerSession?
      if !isNew {
        let first = try await desk.ask("hello")
        session = desk.session(of: first.outcome)
        try await desk.poll(first.outcome.sessionID) { $0.contains { $0.kind == .agentEnd } }
      }
      relay.cut(after: "\"accepted\"", isHolding: false)
      return await Self.failure { [session] () async throws(AskFailure) in
        try await desk.ask("two tools", in: session)
      }
    }
    #expect(result.0 == nil, "\(result)")
    #expect(bench.server.journal.runs.count { $0.text == "two tools" } == 1)
  }

  @Test("a message whose acknowledgement was lost is found in the queue")
  func cutInQueue() throws {
    let bench = try Bench()
    let result = try bench.run { [relay = bench.relay] desk in
      let session = desk.session(of: try await desk.ask("question").outcome)
      relay.cut(after: "\"accepted\"", isHolding: false)
      return await Self.failure { () async throws(AskFailure) in
        try await desk.ask("two tools", in: session)
      }
    }
    #expect(result.1 == .queued, "\(result)")
    #expect(bench.server.journal.messages.count { $0.type == "follow_up" } == 1)
  }

  @Test(
    "a session whose server was killed under a prompt does not get it again",
    arguments: Bench.dialects,
    Fate.allCases
  )
  func crashInOldSession(dialect: PairedServer.Dialect, fate: Fate) throws {
    let gate = Gate(fate.intervention, text: "second")
    let bench = try Bench(dialect) { $0.interceptor = { gate.intervention(at: $0) } }
    let (result, next) = try bench.run { [server = bench.server] desk in
      let session = desk.session(of: try await desk.ask("first").outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      async let asking = Self.failure { () async throws(AskFailure) in
        try await desk.ask("second", in: session)
      }
      try await server.wait { $0.messages.contains { $0.json["message"] == "second" } }
      if fate != .isLost { try await server.wait { $0.runs.count == 2 } }
      let remains = await server.crash()
      let next = try LoopbackServer.start(LoopbackServer.Configuration(dialect), from: remains)
      return (await asking, next)
    }
    #expect(next.journal.runs.isEmpty)
    #expect(result.0 == .unknown(.agentGone), "\(result)")
  }

  /// Lets the first prompt meet its fate, and nobody in afterwards.
  private final class Gate: Sendable {
    private let first: Intervention
    private let text: String
    private let isShut = Mutex(false)

    init(_ first: Intervention, text: String = "once") {
      self.first = first
      self.text = text
    }

    func intervention(at step: Step) -> Intervention {
      switch step {
      case .message(let json, _) where json["message"].string == text:
        isShut.withLock { $0 = true }
        return first
      // The test looks on past the delivery, whose streams stay out.
      case .request(let request, _) where request.target.hasSuffix("/stream"):
        return isShut.withLock(\.self) ? .hang : .proceed
      default: return .proceed
      }
    }
  }
}

extension LoopbackServer.Configuration {
  fileprivate init(_ dialect: PairedServer.Dialect) {
    self.init()
    self.dialect = dialect
  }
}
