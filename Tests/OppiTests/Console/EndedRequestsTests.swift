// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// How requests ended that a server no longer lists, by its record.
@Suite struct EndedRequestsTests {
  private static let request = PermissionRequest(
    id: "p1",
    sessionID: "S",
    tool: "bash",
    input: ["command": "ls"],
    summary: "ls"
  )

  private static func entry(_ id: String, _ decision: String, at time: Timestamp) -> JSONValue {
    [
      "id": .string(id), "timestamp": .integer(Int64(time.milliseconds)), "sessionId": "S",
      "tool": "bash", "displaySummary": "ls", "decision": .string(decision), "resolvedBy": "user",
    ]
  }

  @Test(
    "a decision counts if it was made after the last list with the request, by the server's clock",
    arguments: [-600, 0, 600]
  )
  func clock(ahead: Int) {
    inTroubledWorld(.gated) { world, _, trouble in
      let context = world.services
      let server = try #require(try context.serverStore.load().servers.first)
      let listedAt = context.now()
      let serverTime = listedAt.moved(by: .seconds(ahead))
      let entries: JSONValue = [
        Self.entry("new", "allow", at: serverTime.moved(by: .seconds(1))),
        // Of an earlier call with the same text.
        Self.entry("old", "deny", at: serverTime.moved(by: .seconds(-60))),
      ]
      trouble.at("/policy/audit?limit=50", .answer(json: ["entries": entries]))
      func overview(_ requests: [HumanRequest], after time: Duration) -> ServerOverview {
        ServerOverview(
          server: server,
          sessions: [],
          requests: requests,
          clockOffset: .seconds(ahead),
          at: listedAt.moved(by: time)
        )
      }
      let ended = EndedRequests(in: context)
      ended.take(overview([.permission(Self.request)], after: .zero))
      ended.take(overview([], after: .seconds(10)))
      let (told, tell) = AsyncStream<[String: AuditEntry]>.makeStream()
      let running = Task(executorPreference: world.loop) { await ended.run { tell.yield($0) } }
      try await world.pass()
      running.cancel()
      await running.value
      tell.finish()
      var found: [String: String] = [:]
      for await entries in told { found.merge(entries.mapValues(\.id)) { $1 } }
      #expect(found == ["p1": "new"])
    }
  }
}
