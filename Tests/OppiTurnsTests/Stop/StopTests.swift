// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

@Suite struct StopTests {
  @Test(
    "a running turn is stopped, even if it waits for input, and then there is nothing to stop",
    arguments: ["silent", "deploy", "question"],
    Dialect.all
  )
  func stops(prompt: String, dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: prompt)
      let outcome = await world.oppi("stop", "last")
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors == "stopped the turn of \(id)\n", "\(outcome)")
      // A stop does not release a pending approval, so the approval is denied, once.
      let denials =
        dialect == .multiplexed
        ? server.decisions : server.messages.count { $0.type == "permission_response" }
      #expect(denials == (prompt == "deploy" && dialect.requests.hasGate ? 1 : 0))
      let idle = await world.oppi("stop", "--json", "--", id, exits: 0)
      #expect(
        idle.json == ["state": "idle", "sessionId": .string(id), "sessionEnded": false],
        "\(idle)"
      )
      let again = await world.oppi("stop", "--", id, exits: 0)
      #expect(again.output.isEmpty, "\(again)")
      #expect(again.errors == "session \(id) has no running turn\n", "\(again)")
    }
  }

  @Test("a stop that the server does not confirm for its session fails after --timeout")
  func unconfirmed() {
    for answer in [
      Intervention.ignore, .reply([["type": "stop_confirmed", "sessionId": "other"]]),
    ] {
      inTroubledWorld { world, server, trouble in
        let id = try await world.session(asking: "silent")
        trouble.begin { $0.isMessage("stop") ? answer : .proceed }
        await world.oppi("--timeout", "3s", "stop", "--", id, exits: 75) {
          $0.elapsed < .seconds(5)
        }
      }
    }
  }

  @Test("requests of other sessions are not denied, also if the server lists them")
  func othersRequests() {
    inTroubledWorld(.gated) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      let id = try await world.session(asking: "deploy")
      let rows = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      let entries = rows.map { row -> JSONValue in
        [
          "id": row["id"], "sessionId": row["sessionId"], "tool": "bash", "displaySummary": "ls",
          "input": ["command": "ls"], "timeoutAt": 1, "expires": false,
        ]
      }
      try #require(entries.count == 2)
      let pending: JSONValue = ["pending": .array(entries), "serverTime": 1]
      trouble.begin { $0.isRequest("/pending?sessionId=\(id)") ? .answer(json: pending) : .proceed }
      await world.oppi("stop", "--", id, exits: 0)
      #expect(server.decisions == 1)
    }
  }

  @Test(
    "a stop that the server confirms succeeds, even if the pending requests could not be listed",
    arguments: Dialect.all
  )
  func unlisted(dialect: Dialect) {
    let trouble = Trouble()
    inWorld(dialect, where: \.interceptor, is: trouble.interceptor) { world, server in
      let id = try await world.session(asking: "silent")
      trouble.begin { step in
        guard case .request(let request, _) = step,
          ["/dialogs", "/permissions/pending"].contains(where: request.target.contains)
        else { return .proceed }
        return .answer(status: 500, error: "no list")
      }
      await world.oppi("stop", "--", id, exits: 0) { $0.errors == "stopped the turn of \(id)\n" }
    }
  }

  @Test("--session ends the whole session, busy or idle", arguments: ["silent", "hello"])
  func session(prompt: String) {
    inWorld { world, server in
      let id = try await world.session(asking: prompt)
      let outcome = await world.oppi("stop", "--session", "--json", "--", id, exits: 0)
      #expect(outcome.json["sessionEnded"] == true, "\(outcome)")
      let again = await world.oppi("stop", "--session", "last")
      #expect(again.status == 0 && again.errors == "ended session \(id)\n", "\(again)")
    }
  }

  @Test("a turn that the server does not stop is status 1, with the server's message")
  func fails() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.session(asking: "silent")
      trouble.begin { step in
        guard case .message(let json, _) = step, json["type"] == "stop" else { return .proceed }
        return .refuse(json, error: "it will not")
      }
      await world.oppi("stop", "--", id, exits: 1) { $0.errors.contains("it will not") }
    }
  }

  @Test(
    "a session whose end is not confirmed is not reported as ended",
    arguments: ["last", "--idle"]
  )
  func unconfirmedEnd(target: String) {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      trouble.begin { $0.isRequest("/stop") ? .answer(json: ["ok": false]) : .proceed }
      let words = target == "--idle" ? ["--idle", "--yes"] : ["--session", target]
      await world.oppi(["stop"] + words, exits: 76) { !$0.errors.contains("ended session") }
    }
  }
}
