// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

@Suite struct FollowTurnTests {
  /// Records the changes shown, and calls `seesTool` while a tool call is running.
  private final class Onlooker: TurnObserver, Sendable {
    private let seen = Mutex<[ActivityChange]>([])
    private let isEnded = Mutex(false)
    private let seesTool: @Sendable () async -> Void

    init(seesTool: @escaping @Sendable () async -> Void = {}) { self.seesTool = seesTool }

    var changes: [ActivityChange] { seen.withLock { $0 } }
    var hasEnded: Bool { isEnded.withLock { $0 } }

    func show(
      _ changes: [ActivityChange],
      _ activity: Turn,
      at now: Timestamp,
      isPast: Bool
    ) async {
      seen.withLock { $0 += changes }
      if activity.runningCall != nil { await seesTool() }
    }

    func note(_ text: String) {}
    func end() { isEnded.withLock { $0 = true } }
  }

  /// Thrown if an observer is created unexpectedly.
  private struct Unwanted: Error {}

  @Test(
    "an idle session is reported with its last turn, without starting an agent",
    arguments: Dialect.withTokens
  )
  func atRest(dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let session = flow.session(of: try await flow.ask("hi").outcome)
      try await flow.pass()
      // After a restart no session has an agent.
      await flow.server.end(.killed)
      try flow.server.start()
      let before = (requests: flow.server.requests.count, messages: flow.server.messages.count)
      let status = try await flow.status(of: session)
      let outcome = try await FollowTurn(api: flow.api).follow(session) { throw Unwanted() }
      #expect(try await flow.status(of: session) == status)
      #expect(outcome.lastTurn?.outcome == .succeeded(answer: "The command printed: hi"))
      let requests = flow.server.requests.dropFirst(before.requests)
      #expect(requests.allSatisfy { $0.method == "GET" && $0.status != 101 })
      #expect(flow.server.messages.count == before.messages)
    }
  }

  @Test("a session without turns has no last turn", arguments: Dialect.withTokens)
  func noTurn(dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let session = try await flow.newSession()
      let outcome = try await FollowTurn(api: flow.api).follow(session) { throw Unwanted() }
      if case .atRest(nil) = outcome {} else { Issue.record("\(outcome)") }
    }
  }

  @Test(
    "a turn that ends just before the watch begins has the outcome of its end",
    arguments: [nil, "\"connected\""]
  )
  func endsEarly(cutAfter words: String?) {
    let trouble = Trouble()
    inFlowWorld(where: \.interceptor, is: trouble.interceptor) { flow in
      let session = flow.session(of: try await flow.ask("silent").outcome)
      trouble.first([.proceedAfter(.seconds(3))], at: "/stream")
      if let words { flow.world.network.cut(after: words) }
      let onlooker = Onlooker()
      let following = Task(executorPreference: flow.world.loop) {
        try await FollowTurn(api: flow.api).follow(session) { onlooker }
      }
      try await flow.pass(.seconds(1))
      await flow.server.releaseTool(inSession: session.id)
      let outcome = try await following.value
      #expect(outcome.lastTurn?.outcome == .succeeded(answer: "The silent work is done."))
      #expect(onlooker.hasEnded, "nothing was watched")
    }
  }

  @Test("a retry that ends just before the watch begins has the outcome of its end")
  func retryEndsEarly() {
    let trouble = Trouble()
    inFlowWorld {
      ($0.interceptor, $0.retryDelay) = (trouble.interceptor, .seconds(2))
    } _: { flow in
      let session = flow.session(of: try await flow.ask("retry").outcome)
      try await flow.pass(.milliseconds(500))
      trouble.first([.proceedAfter(.seconds(4))], at: "/stream")
      let outcome = try await FollowTurn(api: flow.api).follow(session) { Onlooker() }
      #expect(outcome.lastTurn?.outcome == .succeeded(answer: "It worked the second time."))
    }
  }

  /// Fails if it is woken without news more often than a few times.
  private struct Sleeper: TurnObserver {
    private var count = 0

    mutating func draw(_ turn: Turn, at now: Timestamp) async throws {
      count += 1
      guard count < 5 else { throw Unwanted() }
    }
    mutating func show(
      _ changes: [ActivityChange],
      _ turn: Turn,
      at now: Timestamp,
      isPast: Bool
    ) {}
    mutating func note(_ text: String) {}
    mutating func end() {}
  }

  @Test("after a refusal that was sent again, a watch waits for news")
  func refusedAgain() {
    let trouble = Trouble()
    inFlowWorld {
      ($0.interceptor, $0.pace) = (trouble.interceptor, .seconds(1))
    } _: { flow in
      let session = flow.session(of: try await flow.ask("deploy").outcome)
      trouble.begin { step in
        guard step.isRequest("/command") else { return .proceed }
        trouble.end()
        return .drop
      }
      var watch = TurnWatch(session: session, api: try await flow.api, scope: .anyTurn)
      watch.onAsk = .deny
      var observer: any TurnObserver = Sleeper()
      let ending = try await watch.run(&observer)
      #expect(ending.answer == "Not pushed: Blocked by user" && flow.server.decisions == 2)
    }
  }

  @Test("a timeout ends only the wait; the turn continues", arguments: Dialect.withTokens)
  func timeout(dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let session = flow.session(of: try await flow.ask("silent").outcome)
      let onlooker = Onlooker()
      let following = FollowTurn(api: try await flow.api, timeout: .seconds(2))
      let outcome = try await following.follow(session) { onlooker }
      if case .watched(.timedOut(need: nil)) = outcome {} else { Issue.record("\(outcome)") }
      #expect(onlooker.hasEnded)
      #expect(try await flow.status(of: session) == .busy)
      await flow.server.releaseTool(inSession: session.id)
      try await flow.pass()
      #expect(try await flow.status(of: session) == .ready)
    }
  }
}

extension FollowTurn.Outcome {
  /// The last turn of a session at rest.
  fileprivate var lastTurn: Turn? {
    guard case .atRest(let turn) = self else { return nil }
    return turn
  }
}
