// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// Servers that crash and restart, and servers that stay away.
@Suite(.fewAtOnce) struct LossTests {
  /// The state of a turn when its server is killed.
  enum Moment: CaseIterable, Sendable {
    case thinking
    case toolAtWork
    case approvalPending

    var prompt: String {
      switch self {
      case .thinking: "hello"
      case .toolAtWork: "silent"
      case .approvalPending: "deploy"
      }
    }
  }

  @Test(
    "a turn that a server crash cut off is unknown, not empty",
    arguments: Line.plain,
    Moment.allCases
  )
  func crash(line: Line, moment: Moment) async throws {
    let (home, server) = try await Home.paired(line) {
      // The first thought is so slow that the crash interrupts it.
      if moment == .thinking { $0.pace = .seconds(60) }
    }
    async let waiting = home.oppi("ask", "-w", "demo", "--wait", "--json", moment.prompt)
    let journal = try await server.wait { !$0.runs.isEmpty }
    let id = journal.runs[0].sessionID
    switch moment {
    // The program has recorded the session, so it knows that the prompt has arrived.
    case .thinking: try await home.wait(forSession: id)
    case .toolAtWork:
      try await server.poll(server.path(id)) { json in
        json["trace"].array?.contains { $0["type"] == "toolCall" } == true
      }
    case .approvalPending:
      try await server.poll("/permissions/pending") { $0["pending"].array?.isEmpty == false }
    }
    let next = try await RunningServer.again(server)
    let listed = try next.get(next.path(id)).json["session"]["status"].string
    #expect(listed == (line == .perSessionHTTP ? "busy" : "stopped"))
    let outcome = try await waiting
    #expect(outcome.status == 6, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "unknown", "\(outcome)")
    #expect(try outcome.json()["response"] is NSNull, "\(outcome)")
    #expect(try outcome.error()["code"] as? String == "outcome-unknown", "\(outcome)")
    #expect(next.journal.runs.isEmpty)
  }

  @Test("follow fails with 69, not 'no session', while a server is unreachable")
  func oneOfTwoIsGone() async throws {
    let (home, server) = try await Home.paired()
    let other = try await home.paired { $0.name = "office" }
    await other.stop()
    let nothing = try await home.oppi("follow", "--json", exits: 69)
    #expect(nothing.errors.contains("office"), "\(nothing)")
    #expect(try nothing.error()["code"] as? String == "server-unreachable", "\(nothing)")
    // A busy session is found although the other server is unreachable.
    _ = try await home.oppi("ask", "-q", "-w", "studio/demo", "slow")
    try await home.oppi("follow", "--timeout", "200ms", exits: 124)
    #expect(server.journal.runs.count == 1)
  }

  @Test(
    "a prompt in the queue of a server that was killed is unknown",
    arguments: Line.plain
  )
  func queued(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    let id = try await home.session(asking: "question")
    // The history is written again when the program knows that the prompt has arrived.
    try FileManager.default.removeItem(at: home.lastUsed)
    async let waiting = home.oppi("ask", "--session=\(id)", "--wait", "--json", "two tools")
    try await home.wait(forSession: id)
    let next = try await RunningServer.again(server)
    let outcome = try await waiting
    #expect(outcome.status == 6, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "unknown", "\(outcome)")
    #expect(next.journal.runs.isEmpty)
  }

  @Test("an elapsed --timeout reports an unknown turn while the server is unreachable")
  func timeoutWhileAway() async throws {
    let (home, server) = try await Home.paired()
    let id = try await home.session(asking: "hello", "--wait")
    try FileManager.default.removeItem(at: home.lastUsed)
    async let waiting = home.oppi(
      "ask",
      "--session=\(id)",
      "--wait",
      "--timeout",
      "8s",
      "--json",
      "slow"
    )
    try await home.wait(forSession: id)
    _ = await server.crash()
    let outcome = try await waiting
    #expect(outcome.status == 124, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "unknown", "\(outcome)")
    let message = try #require(try outcome.error()["message"] as? String)
    #expect(message.contains("unknown") && message.contains("refused"), "\(outcome)")
  }

  @Test("after a crash a session is idle, whatever its server lists", arguments: Line.plain)
  func staleStatus(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    let id = try await home.session(asking: "silent")
    try await server.poll(server.path(id)) { json in
      json["trace"].array?.contains { $0["type"] == "toolCall" } == true
    }
    let next = try await RunningServer.again(server)
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(try stopped.json()["state"] as? String == "idle", "\(stopped)")
    let follow = try await home.oppi("follow", "--json", "--", id, exits: 6)
    #expect(try follow.jsonLines().map { $0["outcome"] as? String } == ["unknown"], "\(follow)")
    #expect(next.streams == 0)
    #expect(try next.get(next.path(id) + "/events?since=0").status == 404)
  }

  @Test("a server that shuts down in order stops its turns", arguments: Line.plain)
  func stoppedInOrder(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    async let waiting = home.oppi("ask", "-w", "demo", "--wait", "--json", "silent")
    let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
    try await home.wait(forSession: id)
    let next = try FakeServer.start(server.configuration, from: await server.stop())
    let outcome = try await waiting
    #expect(outcome.status == 4, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "stopped", "\(outcome)")
    #expect(next.journal.runs.isEmpty)
  }
}
