// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import Simulation
import Testing

/// `oppi stop`.
@Suite struct StopTests {
  @Test(
    "a running turn is stopped, also one that waits for a human",
    arguments: ["silent", "deploy", "question"],
    PairedServer.Dialect.both
  )
  func stops(prompt: String, dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: prompt)
      let outcome = await world.oppi("stop", "last")
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors == "stopped the turn of \(id)\n", "\(outcome)")
      // What waits for approval is denied, too, since a stop does not release it, and only once.
      let denials =
        dialect == .multiplexed
        ? server.decisions : server.messages.count { $0.type == "permission_response" }
      #expect(denials == (prompt == "deploy" ? 1 : 0))
      let idle = await world.oppi("stop", "--json", "--", id)
      #expect(idle.status == 0, "\(idle)")
      #expect(
        idle.json == ["state": "idle", "sessionId": .string(id), "sessionEnded": false],
        "\(idle)"
      )
    }
  }

  @Test("a stop that the server does not confirm is given up when --timeout has passed")
  func unconfirmed() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      _ = try await world.session(asking: "silent")
      trouble.begin { $0.isMessage("stop") ? .ignore : .proceed }
      let outcome = await world.oppi("--timeout", "3s", "stop", "last")
      #expect(outcome.status == 75, "\(outcome)")
      #expect(outcome.elapsed < .seconds(5), "\(outcome)")
    }
  }

  @Test("a session at rest has nothing to stop", arguments: PairedServer.Dialect.both)
  func idle(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "hello")
      let outcome = await world.oppi("stop", "--", id)
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors == "session \(id) has no running turn\n", "\(outcome)")
    }
  }

  @Test("--session ends the whole session, at work or at rest", arguments: ["silent", "hello"])
  func session(prompt: String) {
    inWorld { world, server in
      let id = try await world.session(asking: prompt)
      let outcome = await world.oppi("stop", "--session", "--json", "--", id)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.json["sessionEnded"] == true, "\(outcome)")
      let again = await world.oppi("stop", "--session", "last")
      #expect(again.status == 0 && again.errors == "ended session \(id)\n", "\(again)")
    }
  }

  @Test("a turn that the server does not stop is 1, with what else can be done")
  func fails() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      let id = try await world.session(asking: "silent")
      trouble.begin { step in
        guard case .message(let json, _) = step, json["type"] == "stop" else { return .proceed }
        return .refuse(json, error: "it will not")
      }
      let outcome = await world.oppi("stop", "--", id)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("it will not"), "\(outcome)")
    }
  }

  @Test(
    "what the server does not confirm is not said to have ended",
    arguments: ["last", "--idle"]
  )
  func unconfirmedEnd(target: String) {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      _ = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      trouble.begin { $0.isRequest("/stop") ? .answer(json: ["ok": false]) : .proceed }
      let words = target == "--idle" ? ["--idle"] : ["--session", target]
      let outcome = await world.oppi(["stop"] + words)
      #expect(outcome.status == 76 && !outcome.errors.contains("ended session"), "\(outcome)")
    }
  }
}
