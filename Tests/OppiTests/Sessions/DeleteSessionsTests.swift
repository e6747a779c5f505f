// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import Oppi

/// Why a session is kept, by the lists of its server.
@Suite struct DeleteSessionsTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private static func obstacle(_ members: JSONObject) throws -> DeleteSessions.Obstacle? {
    let json: JSONObject = ["id": "session1", "workspaceId": "demo0001", "status": "stopped"]
    let session = try #require(Session(json: .object(json.adding(members))))
    let status = SessionStatus(
      session,
      clockOffset: .zero,
      approvals: [],
      turn: nil,
      question: nil
    )
    return DeleteSessions.obstacle(of: session, status, age: .seconds(3600), at: now)
  }

  @Test("a session is old from its age on")
  func age() throws {
    for (seconds, obstacle) in [(3599, .recent), (3600, nil)] as [(Int, DeleteSessions.Obstacle?)] {
      let last = JSONValue.integer(Int64(now(minus: seconds)))
      #expect(try Self.obstacle(["lastActivity": last]) == obstacle, "\(seconds)")
    }
  }

  private func now(minus seconds: Int) -> Int { Self.now.milliseconds - seconds * 1000 }

  @Test("a session whose agent runs in a terminal is kept, however old it is")
  func inTerminal() throws {
    let last = JSONValue.integer(Int64(now(minus: 7200)))
    #expect(try Self.obstacle(["lastActivity": last, "runtime": "pi-tui"]) == .inTerminal)
    #expect(try Self.obstacle(["lastActivity": last, "runtime": "oppi"]) == nil)
  }

  @Test("a session of which the server does not report the last use is kept")
  func unknown() throws {
    #expect(try Self.obstacle([:]) == .recent)
    #expect(try Self.obstacle(["lastActivity": 0]) == .recent)
  }
}
