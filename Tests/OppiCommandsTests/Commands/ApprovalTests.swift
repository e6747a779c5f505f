// SPDX-License-Identifier: MIT

import HTTPCodec
import LoopbackServer
import OppiModel
import Simulation
import Testing

/// Tool calls that wait for a human's word, as those see them who ask and watch.
@Suite struct ApprovalTests {
  @Test(
    "an approval fails the command where --on-ask says so, and the agent waits on",
    arguments: PairedServer.Dialect.both
  )
  func fails(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let words = ["ask", "--wait", "--on-ask", "fail", "-w", "demo"]
      let outcome = await world.oppi(words + ["deploy"])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("git push origin main"), "\(outcome)")
      #expect(outcome.errors.contains("hint: decide with: oppi approve -- "), "\(outcome)")
      #expect(outcome.errors.contains("or: oppi chat --session="), "\(outcome)")
      let json = await world.oppi(words + ["--json", "question"])
      #expect(json.status == 3, "\(json)")
      #expect(json.json["state"] == "waiting", "\(json)")
      #expect(json.errors.contains("Which tests should I run?"), "\(json)")
      #expect(server.decisions == 0)
    }
  }

  @Test(
    "a denied call is denied by the user, and the agent's answer says so",
    arguments: PairedServer.Dialect.both
  )
  func denied(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi("ask", "--wait", "--on-ask", "deny", "-w", "demo", "deploy")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "Not pushed: Denied by user\n", "\(outcome)")
    }
  }

  @Test("a denial that did not reach the server is told again a little later")
  func deniedLater() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
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
    "who joins a call that waits sees it once with its arguments, and what came of it",
    arguments: PairedServer.Dialect.both
  )
  func joinedLate(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "deploy")
      let following = world.begin("follow", "--json", "--", id)
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "--", id)
      #expect(stopped.json["state"] == "stopped", "\(stopped)")
      let outcome = await following.value
      // The denial that the stop begins with lets the turn go on, which may be over before the stop.
      #expect([0, 4].contains(outcome.status), "\(outcome)")
      let lines = outcome.jsonLines
      for type in ["approval-requested", "approval-resolved", "tool-finished", "turn-finished"] {
        #expect(lines.count { $0["type"].string == type } == 1, "\(type) in \(outcome)")
      }
      // Where the request comes before the trace the call is planned and has not started.
      let calls = lines.filter { ["tool-planned", "tool-started"].contains($0["type"].string) }
      #expect(calls.count == 1, "\(outcome)")
      #expect(calls.first?["arguments"]["command"] == "git push origin main", "\(outcome)")
      #expect(Set(lines.compactMap { $0["callId"].string }).count == 1, "\(outcome)")
      #expect(server.heard == ["deploy"])
    }
  }
}
