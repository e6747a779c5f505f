// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import TestSupport
import Testing

/// Servers that are killed and come back, and servers that stay away.
@Suite struct LossTests {
  /// How far a turn has come when its server is killed.
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
    "a turn that its server's crash has cut off is unknown, and not empty",
    arguments: Line.plain,
    Moment.allCases
  )
  func crash(line: Line, moment: Moment) async throws {
    let home = try Home()
    let server = try await home.paired(line) {
      // The first thought comes so slowly that the crash is sure to interrupt it.
      if moment == .thinking { $0.pace = .seconds(60) }
    }
    async let waiting = home.oppi("ask", "-w", "demo", "--wait", "--json", moment.prompt)
    let journal = await server.wait { !$0.runs.isEmpty }
    let id = journal.runs[0].sessionID
    switch moment {
    // The program has kept the session's id, and so it knows that the prompt has arrived.
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

  @Test("a busy session that is looked for may be at the server that is gone: not 'no session'")
  func oneOfTwoIsGone() async throws {
    let home = try Home()
    let server = try await home.paired()
    let other = try await home.paired { $0.name = "office" }
    await other.stop()
    let nothing = try await home.oppi("follow", "--json")
    #expect(nothing.status == 69, "\(nothing)")
    #expect(nothing.errors.contains("office"), "\(nothing)")
    #expect(try nothing.error()["code"] as? String == "server-unreachable", "\(nothing)")
    // One that is busy is found even so.
    _ = try await home.oppi("ask", "-q", "-w", "studio/demo", "slow")
    let found = try await home.oppi("follow", "--timeout", "200ms")
    #expect(found.status == 124, "\(found)")
    #expect(server.journal.runs.count == 1)
  }
}
