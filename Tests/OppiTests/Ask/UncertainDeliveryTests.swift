// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiTransport
import Synchronization
import Testing

@testable import Oppi

/// Prompts whose delivery is hard to determine.
@Suite struct UncertainDeliveryTests {
  @Test("a slow agent start times out only if the delivery has a limit", arguments: Bench.dialects)
  func slowStart(dialect: Dialect) async throws {
    let bench = try Bench(dialect) { $0.agentStartDelay = .milliseconds(800) }
    let (short, long) = try await bench.run { desk in
      var limits = PromptDelivery.Limits()
      limits.total = .milliseconds(400)
      let short = await desk.attempt("short", limits: limits)
      limits.total = nil
      let long = await desk.attempt("long", limits: limits, waitingForTurn: true)
      return (short, long)
    }
    #expect(short.failure?.delivery == .unknown(.starting))
    #expect(long.outcome?.state == .started)
  }

  @Test(
    "a prompt that an older server refuses silently is reported as refused",
    arguments: Bench.dialects
  )
  func silentRefusal(dialect: Dialect) async throws {
    let bench = try Bench(dialect) { $0.isEarly = true }
    let (new, old) = try await bench.run { desk in
      var limits = PromptDelivery.Limits()
      limits.total = nil
      limits.silence = .milliseconds(50)
      let new = await desk.attempt("refuse", limits: limits, waitingForTurn: true)
      let first = try await desk.ask("hello")
      let session = desk.session(of: first.outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      let old = await desk.attempt("refuse", in: session, limits: limits, waitingForTurn: true)
      return (new, old)
    }
    #expect(new.failure?.delivery == .refused(.silent))
    #expect(old.failure?.delivery == .refused(.silent))
    #expect(bench.server.journal.runs.map(\.text) == ["hello"])
  }

  @Test("an agent that starts slowly is not reported as a silent refusal")
  func slowIsNotSilent() async throws {
    let bench = try Bench(.perSession) { $0.agentStartDelay = .milliseconds(300) }
    let result = try await bench.run { desk in
      var limits = PromptDelivery.Limits()
      limits.total = nil
      limits.silence = .milliseconds(20)
      return await desk.attempt("hello", limits: limits, waitingForTurn: true)
    }
    #expect(result.outcome?.state == .started)
  }

  /// The state of the first prompt when the server is killed.
  enum Fate: CaseIterable, Sendable {
    case runs
    case isOver
    case isLost

    var intervention: Intervention { self == .isLost ? .drop : .performThenDrop }
  }

  @Test(
    "a prompt does not run twice if the server is killed and restarted during delivery",
    arguments: Bench.dialects,
    Fate.allCases
  )
  func crash(dialect: Dialect, fate: Fate) async throws {
    let gate = Gate(fate.intervention)
    let bench = try Bench(dialect) {
      // Keeps the turn running until the server is killed.
      if fate == .runs { $0.pace = .seconds(60) }
      $0.interceptor = { gate.intervention(at: $0) }
    }
    let (result, next) = try await bench.run { [server = bench.server] desk in
      async let asking = desk.attempt("once")
      try await server.wait { $0.messages.contains { $0.type == "prompt" } }
      if fate != .isLost {
        let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
        if fate == .isOver { try await desk.poll(id) { $0.contains { $0.kind == .agentEnd } } }
      }
      let remains = await server.crash()
      let next = try FakeServer.start(FakeServer.Configuration(dialect), from: remains)
      return (await asking, next)
    }
    let runs = bench.server.journal.runs + next.journal.runs
    #expect(runs.count == (fate == .isLost ? 0 : 1))
    // Only a prompt in the stored trace is known to be delivered; any other may have run or not.
    #expect(result.failure?.delivery == (fate == .isOver ? nil : .unknown(.agentGone)), "\(result)")
    #expect(result.outcome?.state == (fate == .isOver ? .accepted : nil), "\(result)")
  }

  @Test(
    "a refused prompt that is sent again with its turn id is not reported as accepted",
    arguments: [false, true]
  )
  func duplicateOfRefused(isWaiting: Bool) async throws {
    let bench = try Bench()
    let (first, second) = try await bench.run { desk in
      var limits = PromptDelivery.Limits()
      limits.total = .seconds(2)
      let session = desk.session(of: try await desk.ask("hello").outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      let first = await desk.attempt("refuse", in: session, id: "same", limits: limits)
      let second = await desk.attempt(
        "refuse",
        in: session,
        id: "same",
        limits: limits,
        waitingForTurn: isWaiting
      )
      return (first, second)
    }
    guard case .refused(.agentRefused)? = first.failure?.delivery else {
      Issue.record("\(first)")
      return
    }
    // The server reports a duplicate, but the turn has no events.
    #expect(second.outcome?.state == nil, "\(second)")
    #expect(bench.server.journal.runs.map(\.text) == ["hello"])
  }

  @Test(
    "a prompt runs once if the connection breaks during the acknowledgement",
    arguments: Bench.allDialects,
    [false, true]
  )
  func cutInAcknowledgement(dialect: Dialect, isNew: Bool) async throws {
    let bench = try Bench(dialect)
    let result = try await bench.run { [relay = bench.relay] desk in
      var session: ServerSession?
      if !isNew {
        let first = try await desk.ask("hello")
        session = desk.session(of: first.outcome)
        try await desk.poll(first.outcome.sessionID) { $0.contains { $0.kind == .agentEnd } }
      }
      relay.cut(after: "\"stage\":\"accepted\"", isHolding: false)
      let result = await desk.attempt("two tools", in: session)
      // The agent starts after the acknowledgement.
      if let id = result.outcome?.sessionID {
        try await desk.poll(id) { $0.count { $0.kind == .agentEnd } == (isNew ? 1 : 2) }
      }
      return result
    }
    #expect(result.failure?.delivery == nil, "\(result)")
    #expect(bench.server.journal.runs.count { $0.text == "two tools" } == 1)
  }

  @Test("a message is found in the queue if its acknowledgement is lost")
  func cutInQueue() async throws {
    let bench = try Bench()
    let result = try await bench.run { [relay = bench.relay] desk in
      let session = desk.session(of: try await desk.ask("question").outcome)
      relay.cut(after: "\"stage\":\"accepted\"", isHolding: false)
      return await desk.attempt("two tools", in: session)
    }
    #expect(result.outcome?.state == .queued, "\(result)")
    #expect(bench.server.journal.messages.count { $0.type == "follow_up" } == 1)
  }

  @Test(
    "a prompt to an existing session is not sent again after the server was killed",
    arguments: Bench.allDialects,
    Fate.allCases
  )
  func crashInOldSession(dialect: Dialect, fate: Fate) async throws {
    let gate = Gate(fate.intervention, text: "second")
    let bench = try Bench(dialect) { $0.interceptor = { gate.intervention(at: $0) } }
    let (result, next) = try await bench.run { [server = bench.server] desk in
      let session = desk.session(of: try await desk.ask("first").outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      async let asking = desk.attempt("second", in: session)
      try await server.wait { $0.messages.contains { $0.json["message"] == "second" } }
      if fate != .isLost { try await server.wait { $0.runs.count == 2 } }
      let remains = await server.crash()
      let next = try FakeServer.start(FakeServer.Configuration(dialect), from: remains)
      return (await asking, next)
    }
    #expect(next.journal.runs.isEmpty)
    #expect(result.failure?.delivery == .unknown(.agentGone), "\(result)")
  }

  /// Applies the intervention to the prompt with the given text, and hangs all later streams.
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
      // Only streams hang: the test itself polls with plain requests.
      case .request(let request, _) where request.target.hasSuffix("/stream"):
        return isShut.withLock(\.self) ? .hang : .proceed
      default: return .proceed
      }
    }
  }
}

extension FakeServer.Configuration {
  fileprivate init(_ dialect: Dialect) {
    self.init()
    self.dialect = dialect
  }
}
