// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Synchronization
import TestSupport
import Testing

@testable import Oppi

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
    arguments: Bench.allDialects
  )
  func atRest(dialect: Dialect) async throws {
    let bench = try Bench(dialect)
    let (outcome, next) = try await bench.run { [server = bench.server] desk in
      let session = desk.session(of: try await desk.ask("hi").outcome)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      // After a restart no session has an agent.
      let next = try FakeServer.start(server.configuration, from: await server.crash())
      let before = try await desk.direct.until(.farOff).listSessions().map(\.status)
      let outcome = try await FollowTurn(api: desk.direct).follow(session) { throw Unwanted() }
      #expect(try await desk.direct.until(.farOff).listSessions().map(\.status) == before)
      return (outcome, next)
    }
    guard case .atRest(let turn?) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(turn.outcome == .succeeded(answer: "The command printed: hi"))
    #expect(next.journal.requests.allSatisfy { $0.method == "GET" && $0.status != 101 })
    #expect(next.journal.messages.isEmpty)
  }

  @Test("a session without turns has no last turn", arguments: Bench.allDialects)
  func noTurn(dialect: Dialect) async throws {
    let outcome = try await Bench(dialect).run { desk in
      let session = try await desk.newSession()
      return try await FollowTurn(api: desk.direct).follow(session) { throw Unwanted() }
    }
    guard case .atRest(nil) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("an unknown session is an error", arguments: [nil, "qX3dEmo0"])
  func unknown(workspaceID: String?) async throws {
    try await Bench().run { desk in
      let session = ServerSession(server: desk.paired, id: "nowhere1", workspaceID: workspaceID)
      await #expect(throws: OppiError.self) {
        _ = try await FollowTurn(api: desk.direct).follow(session) { throw Unwanted() }
      }
    }
  }

  @Test("a busy session is followed to the end of its turn", arguments: Bench.allDialects)
  func busy(dialect: Dialect) async throws {
    let bench = try Bench(dialect)
    try await bench.run { [server = bench.server] desk in
      let session = desk.session(of: try await desk.ask("silent").outcome)
      let onlooker = Onlooker { [id = session.id] in await server.releaseTool(inSession: id) }
      let outcome = try await FollowTurn(api: desk.direct).follow(session) { onlooker }
      guard case .watched(let ending) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      let answer = "The silent work is done."
      #expect(ending.answer == answer)
      #expect(onlooker.changes.last == .turnFinished(.succeeded(answer: answer), isOwn: false))
      #expect(onlooker.hasEnded)
    }
  }

  @Test("a timeout ends only the wait; the turn continues", arguments: Bench.allDialects)
  func timeout(dialect: Dialect) async throws {
    let bench = try Bench(dialect)
    try await bench.run { [server = bench.server] desk in
      let session = desk.session(of: try await desk.ask("silent").outcome)
      let onlooker = Onlooker()
      let following = FollowTurn(api: desk.direct, timeout: .milliseconds(100))
      let outcome = try await following.follow(session) { onlooker }
      guard case .watched(.timedOut(need: nil)) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(onlooker.hasEnded)
      await server.releaseTool(inSession: session.id)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
    }
  }
}
