// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The listing, the details and the log of approval requests.
@Suite struct ApprovalsReadingTests {
  @Test(
    "pending requests of all servers are listed, the highest risk first",
    arguments: Dialect.both
  )
  func list(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let push = try await world.session(asking: "deploy")
      let wipe = try await world.session(asking: "wipe")
      let outcome = await world.oppi("approvals", "--json", exits: 0)
      let rows = outcome.json["approvals"].array ?? []
      #expect(rows.map(\.["sessionId"].string) == [wipe, push], "\(outcome)")
      #expect(rows.map(\.["risk"]) == ["destructive", "exfiltration"])
      #expect(rows.first?["input"] == ["command": "rm -rf ./build"])
      #expect(rows.first?["goal"] == "wipe")
      #expect(rows.first?["secondsLeft"].int.map { (110...115).contains($0) } == true, "\(outcome)")
      #expect(await world.requestIDs("--high-risk") == [rows[0]["id"].string])
      #expect(await world.requestIDs("--expiring").isEmpty)
      try await world.pass(.seconds(90))
      #expect(await world.requestIDs("--expiring").count == 2)
      try await world.pass(.seconds(60))
      let none = await world.oppi("approvals")
      #expect(none.status == 0 && none.errors == "no pending approvals\n", "\(none)")
    }
  }

  @Test("a request is shown in full, with hidden characters escaped and counted")
  func show() {
    inTroubledWorld(.gated) { world, server, trouble in
      let lines = (1...60).map { "echo line-\($0)" } + ["echo safe\u{202E}\u{1B}[8m # sudo rm"]
      trouble.pending(.call("aaaa11112222", lines.joined(separator: "\n")))
      let outcome = await world.oppi("approvals", "show", "aaaa", exits: 0)
      for line in lines.dropLast() { #expect(outcome.lines.contains("  \(line)")) }
      #expect(outcome.output.contains(#"  echo safe\u{202E}\u{1B}[8m # sudo rm"#), "\(outcome)")
      #expect(outcome.output.contains("2 hidden characters"), "\(outcome)")
      #expect(outcome.output.contains("high risk"), "\(outcome)")
      #expect(outcome.output.contains("time: no time limit"), "\(outcome)")
    }
  }

  @Test("the log lists the decisions of users, and with --all also those of rules")
  func log() {
    inWorld(.gated) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      _ = await world.oppi("approve", "--", id)
      _ = try await world.session(asking: "hello")
      let outcome = await world.oppi("approvals", "log")
      #expect(outcome.lines.count == 1, "\(outcome)")
      #expect(
        outcome.lines.first?.hasSuffix(
          "\tallow\tuser\tonce\tstudio/\(session)\tbash\tgit push origin main\tboth\tconfirmed\tallow once"
        )
          == true,
        "\(outcome)"
      )
      #expect(await world.oppi("approvals", "log", "--all").lines.count == 2)
      #expect(await world.oppi("approvals", "log", "--all", "-s", session).lines.count == 1)
    }
  }

  @Test(
    "--watch reports each request once when it arrives, and once when it is gone",
    arguments: DecidingPerson.Kind.allCases
  )
  func watch(kind: DecidingPerson.Kind) {
    DecisionSurfaceTests.withServer(of: kind) { world, _, _ in
      let watching = world.run("approvals", "--watch", "--json")
      try await world.pass()
      let id = try await world.request(asking: kind.prompt)
      try await world.pass()
      _ = await world.oppi("deny", "--", id)
      try await world.pass()
      let told = await watching.end().jsonLines.map { [$0["type"].string, $0["id"].string] }
      #expect(told == [["requested", id], ["gone", id]])
    }
  }

  @Test("--watch reports no request again after an outage, and one that ended meanwhile as gone")
  func watchOutage() {
    inTroubledWorld(.gated) { world, _, trouble in
      let listed = Intervention.pending([.call("same00001111", "ls")])
      let away = Intervention.answer(status: 500, error: "no")
      let watching = world.run("approvals", "--watch", "--json")
      for answer in [listed, away, listed, away, .pending([])] {
        trouble.at("/pending", answer)
        try await world.pass()
      }
      let told = await watching.end().jsonLines.map(\.["type"].string)
      #expect(told == ["requested", "gone"])
    }
  }
}

/// Tool calls that need approval, as seen by `oppi ask` and `oppi follow`.
@Suite struct ApprovalTests {
  @Test(
    "--on-ask fail fails the command at an approval, and the agent keeps waiting",
    arguments: Dialect.both
  )
  func fails(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let words = ["ask", "--wait", "--on-ask", "fail", "-w", "demo"]
      let outcome = await world.oppi(words + ["deploy"])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("git push origin main"), "\(outcome)")
      #expect(outcome.errors.contains("hint: decide with: oppi approve "), "\(outcome)")
      #expect(outcome.errors.contains("or: oppi chat --session="), "\(outcome)")
      let json = await world.oppi(words + ["--json", "question"], exits: 3)
      #expect(json.json["state"] == "waiting", "\(json)")
      #expect(json.errors.contains("Which tests should I run?"), "\(json)")
      #expect(server.decisions == 0)
    }
  }

  @Test("a denial that did not reach the server is sent again")
  func deniedLater() {
    inTroubledWorld(.gated) { world, server, trouble in
      trouble.begin { step in
        guard case .request(let request, _) = step, request.target.hasSuffix("/respond") else {
          return .proceed
        }
        trouble.end()
        return .drop
      }
      let outcome = await world.oppi("ask", "--wait", "--on-ask", "deny", "-w", "demo", "deploy")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "Not pushed: Denied by user\n", "\(outcome)")
      #expect(server.decisions == 2 && server.heard.count == 1)
    }
  }

  @Test("a denial that the server does not take for two minutes is left to a human")
  func neverDenied() {
    inTroubledWorld { world, _, trouble in
      trouble.begin { step in
        guard case .request(let request, _) = step, request.target.hasSuffix("/command") else {
          return .proceed
        }
        return .answer(status: 503, error: "later")
      }
      let outcome = await world.oppi("ask", "--wait", "--on-ask", "deny", "-w", "demo", "deploy")
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("git push origin main"), "\(outcome)")
      #expect(outcome.elapsed > .seconds(120) && outcome.elapsed < .seconds(140), "\(outcome)")
    }
  }

  @Test(
    "a refusal over a stream is sent again if it was lost with the stream, and only then",
    arguments: [
      (Dialect.perSession, "deploy", "permission_response"),
      (.multiplexed, "question", "extension_ui_response"),
    ],
    [true, false]
  )
  func refusedOverStream(refusal: (Dialect, String, String), isLost: Bool) {
    let (dialect, prompt, type) = refusal
    inTroubledWorld(dialect) { world, server, trouble in
      trouble.begin { step in
        guard step.isMessage(type) else { return .proceed }
        trouble.end()
        return isLost ? .drop : .proceed
      }
      let words = ["ask", "--wait", "--on-ask", "deny", "-w", "demo", prompt]
      _ = await world.oppi(words, exits: 0)
      #expect(server.messages.count { $0.type == type } == (isLost ? 2 : 1))
      #expect(server.heard == [prompt])
    }
  }

  @Test(
    "a follower of a waiting call gets its arguments and its outcome, once each",
    arguments: Dialect.both
  )
  func joinedLate(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "deploy")
      let following = world.begin("follow", "--json", "--", id)
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "--", id)
      #expect(stopped.json["state"] == "stopped", "\(stopped)")
      let outcome = await following.value
      // The stop first denies the call, so the turn may end before it is stopped.
      #expect([0, 4].contains(outcome.status), "\(outcome)")
      let lines = outcome.jsonLines
      for type in ["approval-requested", "approval-resolved", "tool-finished", "turn-finished"] {
        #expect(lines.count { $0["type"].string == type } == 1, "\(type) in \(outcome)")
      }
      // If the request arrives before the trace, the call is planned and has not started.
      let calls = lines.filter { ["tool-planned", "tool-started"].contains($0["type"].string) }
      #expect(calls.count == 1, "\(outcome)")
      #expect(calls.first?["arguments"]["command"] == "git push origin main", "\(outcome)")
      #expect(Set(lines.compactMap { $0["callId"].string }).count == 1, "\(outcome)")
      #expect(server.heard == ["deploy"])
    }
  }
}
