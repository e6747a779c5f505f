// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import Simulation
import Testing

@testable import Oppi

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

  @Test(
    "--on-ask deny denies the call, and the agent's answer reports it",
    arguments: Dialect.both
  )
  func denied(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi("ask", "--wait", "--on-ask", "deny", "-w", "demo", "deploy")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "Not pushed: Denied by user\n", "\(outcome)")
    }
  }

  @Test("a denial that did not reach the server is sent again")
  func deniedLater() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
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
