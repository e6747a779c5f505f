// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// Servers whose clocks are ahead of the local clock, or behind.
@Suite struct ServerClockTests {
  /// Makes a server report a clock that is ahead, and a request that expires in a minute.
  private static func shift(
    _ trouble: Trouble,
    in world: World,
    ahead: Int,
    session: String = "S"
  ) {
    trouble.begin { step in
      guard step.isRequest("/pending") else { return .proceed }
      let now = world.loop.timestamp().moved(by: .seconds(ahead))
      let entry: JSONValue = [
        "id": "same00001111", "sessionId": .string(session), "tool": "bash",
        "input": ["command": "ls"], "displaySummary": "ls",
        "timeoutAt": .integer(Int64(now.moved(by: .seconds(60)).milliseconds)),
      ]
      return .answer(json: ["pending": [entry], "serverTime": .integer(Int64(now.milliseconds))])
    }
  }

  @Test("approvals count the time left by the server's clock", arguments: [-600, 0, 600])
  func approvals(ahead: Int) {
    inTroubledWorld(.gated) { world, _, trouble in
      Self.shift(trouble, in: world, ahead: ahead)
      let outcome = await world.oppi("approvals", "--json")
      let row = outcome.json["approvals"].array?.first ?? .null
      #expect(row["secondsLeft"].int.map { (57...60).contains($0) } == true, "\(outcome)")
      let end = row["expiresAt"].string.flatMap { Timestamp(iso8601: $0) }
      let now = world.loop.timestamp()
      #expect(end.map { (55...60).contains(now.age(at: $0)) } == true, "\(outcome)")
    }
  }

  @Test("dialogs count the time left by the server's clock", arguments: [-600, 0, 600])
  func dialogs(ahead: Int) {
    inTroubledWorld { world, _, trouble in
      _ = try await world.session(asking: "ask confirm")
      trouble.begin { step in
        guard step.isRequest("/dialogs") else { return .proceed }
        let now = world.loop.timestamp().moved(by: .seconds(ahead))
        let end = now.moved(by: .seconds(60))
        let dialog: JSONValue = [
          "id": "d1", "method": "confirm", "title": "Go on?",
          "timeoutAt": .integer(Int64(end.milliseconds)),
        ]
        return .answer(json: ["dialogs": [dialog], "serverNow": .integer(Int64(now.milliseconds))])
      }
      let outcome = await world.oppi("approvals", "--json")
      let row = outcome.json["approvals"].array?.first ?? .null
      #expect(row["secondsLeft"].int.map { (57...60).contains($0) } == true, "\(outcome)")
    }
  }

  @Test("status shows requests that are pending by the server's clock", arguments: [-600, 600])
  func status(ahead: Int) {
    inTroubledWorld(.gated) { world, _, trouble in
      let session = try await world.session(asking: "hello")
      Self.shift(trouble, in: world, ahead: ahead, session: session)
      let outcome = await world.oppi("status", "--json")
      #expect(outcome.json["status"] == "awaitingApproval", "\(outcome)")
      #expect(outcome.json["pendingApprovals"] == 1, "\(outcome)")
    }
  }

  @Test("stop --idle uses the server's clock")
  func idle() {
    inTroubledWorld(.gated) { world, server, trouble in
      let rested = try await world.session(asking: "hello")
      try await world.pass(.seconds(90))
      let fresh = try await world.session(asking: "hello")
      func ended() async -> [String?] {
        let outcome = await world.oppi("stop", "--idle", "--yes", "--json")
        return (outcome.json["ended"].array ?? []).map(\.["sessionId"].string)
      }
      // By a clock that is 2 min behind, no session has been idle for a minute yet.
      Self.shift(trouble, in: world, ahead: -120)
      #expect(await ended() == [])
      Self.shift(trouble, in: world, ahead: 0)
      #expect(await ended() == [rested])
      Self.shift(trouble, in: world, ahead: 120)
      #expect(await ended() == [fresh])
    }
  }

  @Test("a session that is to be ended after its turn rests by the server's clock")
  func endsLater() {
    inTroubledWorld(.gated) { world, server, trouble in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--after", "stop", "hello")
      await world.oppi("run", "x", exits: 0)
      try await world.pass(.seconds(90))
      // By a clock that is 2 min behind, the session has not been idle for a minute yet.
      Self.shift(trouble, in: world, ahead: -120)
      #expect(await world.oppi("outbox", "flush").output.isEmpty)
      Self.shift(trouble, in: world, ahead: 0)
      #expect(await world.oppi("outbox", "flush").output.contains("\tsession-ended\t"))
    }
  }

  @Test("a chat counts the time left by the server's clock", arguments: [-30, 0, 30])
  func chat(ahead: Int) throws {
    var desk = ChatDesk()
    try desk.ask()
    let found = RequestContext(clockOffset: .seconds(ahead), folder: nil)
    _ = desk.update(.news(.requestContext(found)))
    // The request expires at 2 min by the server's clock; the local clock is at 0.
    let left = ElapsedTime.text(.seconds(120 - ahead))
    #expect(desk.shows("in \(left)"), "\(desk.lines)")
  }
}
