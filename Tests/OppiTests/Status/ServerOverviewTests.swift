// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

/// The state of a server's sessions.
@Suite struct ServerOverviewTests {
  private static func session(
    _ id: String,
    count: Int = 2,
    pending: Int = 0
  ) throws -> Session {
    let json: JSONValue = [
      "id": .string(id), "status": "ready", "messageCount": .integer(Int64(count)),
      "lastActivity": .integer(Int64(Timestamp.noon.milliseconds)),
      "pendingAskCount": .integer(Int64(pending)),
    ]
    return try #require(Session(json: json))
  }

  private static func overview(
    _ sessions: [Session],
    requests: [HumanRequest] = [],
    of number: Int = 1
  ) throws -> ServerOverview {
    let server = PairedServer(
      id: FleetLife.serverID(number),
      name: "studio\(number)",
      endpoint: try #require(Endpoint(scheme: .http, host: "localhost", port: 7749))
    )
    return ServerOverview(
      server: server,
      sessions: sessions,
      requests: requests,
      clockOffset: .zero,
      at: .noon
    )
  }

  @Test("a session with a pending dialog has a question, unless its request is listed")
  func questions() throws {
    let sessions = try (0...2).map { try Self.session("session\($0)", pending: $0) }
    let counted = try Self.overview(sessions).statuses
    #expect(
      counted.map(\.question?.text) == [nil, "a question is pending", "2 questions are pending"]
    )
    #expect(counted.map(\.phase) == [.idle, .waiting, .waiting])
    let dialog = UserQuestion(
      id: "q",
      method: "confirm",
      body: ["title": "Proceed?", "sessionId": "session1"]
    )
    let listed = try Self.overview(sessions, requests: [.question(dialog)]).statuses
    #expect(listed.map { $0.question == nil } == [true, true, false])
    #expect(listed.map { $0.approvals.map(\.id) } == [[], ["q"], []])
  }

  @Test("what was last seen of other servers is kept, unless a watch has seen more since")
  func lastSeen() {
    inFlowWorld([]) { home in
      let context = home.context
      func ids() -> Set<String> { Set(context.lastSeen.map(\.status.id)) }
      context.remember([try Self.overview([try Self.session("first")])])
      context.remember([try Self.overview([try Self.session("other")], of: 2)])
      #expect(ids() == ["first", "other"])
      context.remember([try Self.overview([try Self.session("second")])])
      #expect(ids() == ["second", "other"])
      let seen = ServerStatus(try Self.overview([try Self.session("watched")]))
      for (seconds, expected) in [(-60, ["second", "other"]), (60, ["watched"])] {
        let moment = context.now().moved(by: .seconds(seconds))
        try context.statusFile.save(FleetStatus(at: moment, servers: [seen]))
        #expect(ids() == Set(expected), "\(seconds)")
      }
    }
  }

  @Test("the latest result of a turn counts, and none of a session that is gone or went on")
  func results() throws {
    let (read, unread) = (try Self.session("read"), try Self.session("unread"))
    var overview = try Self.overview([read, unread, try Self.session("continued", count: 4)])
    overview.ended = ["read": EndedTurn(of: read, TurnSummary(end: .finished))]
    var before: EndedTurns.OfServer = [:]
    for id in ["read", "unread", "continued", "gone"] {
      before[id] = EndedTurn(of: try Self.session(id), TurnSummary(end: .failed))
    }
    let ends = overview.endedTurns(knowing: before).mapValues(\.turn.end)
    #expect(ends == ["read": .finished, "unread": .failed])
  }
}
