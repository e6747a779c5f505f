// SPDX-License-Identifier: MIT

import Foundation
import HTTPCodec
import LoopbackServer
import OppiModel
import ProgramTestSupport
import Synchronization
import TestSupport
import Testing

/// Tool calls that wait for a human's word.
@Suite(.fewAtOnce) struct ApprovalTests {
  @Test(
    "a denied call is denied by the user, and the agent's answer says so",
    arguments: Line.plain
  )
  func denied(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let outcome = try await home.oppi("ask", "-w", "demo", "--wait", "--on-ask", "deny", "deploy")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output == "Not pushed: Denied by user\n", "\(outcome)")
    #expect(try server.get("/permissions/pending").json["pending"].array?.isEmpty == true)
  }

  @Test("a denial that did not reach the server is told again a little later")
  func deniedLater() async throws {
    let home = try Home()
    let attempts = Mutex(0)
    let server = try await home.paired { configuration in
      configuration.interceptor = { step in
        guard case .request(let request, _) = step, request.target.hasSuffix("/respond") else {
          return .proceed
        }
        attempts.withLock { $0 += 1 }
        return attempts.withLock { $0 } == 1 ? .drop : .proceed
      }
    }
    let outcome = try await home.oppi("ask", "-w", "demo", "--wait", "--on-ask", "deny", "deploy")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output == "Not pushed: Denied by user\n", "\(outcome)")
    #expect(attempts.withLock { $0 } == 2)
    #expect(server.journal.runs.count == 1)
  }

  @Test(
    "whoever joins a call that waits sees it once with its arguments, and what came of it",
    arguments: Line.plain
  )
  func joinedLate(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "deploy")
    try await server.poll("/permissions/pending") { $0["pending"].array?.isEmpty == false }
    let streams = server.streams
    async let following = home.oppi("follow", "--json", "--", id)
    let path = server.path(id)
    try await server.wait { journal in
      // The look after the stream stands is for what was missed.
      let open = journal.requests.lastIndex { $0.path.hasSuffix("/stream") } ?? 0
      return journal.requests.count { $0.path.hasSuffix("/stream") } > streams
        && journal.requests[open...].contains { $0.path == path && $0.status == 200 }
    }
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(try stopped.json()["state"] as? String == "stopped", "\(stopped)")
    let outcome = try await following
    // The denial that the stop begins with lets the turn go on, which may be over before the stop.
    #expect([0, 4].contains(outcome.status), "\(outcome)")
    let lines = try outcome.jsonLines()
    let types = lines.compactMap { $0["type"] as? String }
    for type in ["approval-requested", "approval-resolved", "tool-finished", "turn-finished"] {
      #expect(types.count { $0 == type } == 1, "\(type) in \(outcome)")
    }
    // Where the request comes before the trace the call is planned and has not started.
    let calls = lines.filter { ["tool-planned", "tool-started"].contains($0["type"] as? String) }
    #expect(calls.count == 1, "\(outcome)")
    let arguments = calls.first?["arguments"] as? [String: Any]
    #expect(arguments?["command"] as? String == "git push origin main", "\(outcome)")
    #expect(Set(lines.compactMap { $0["callId"] as? String }).count == 1, "\(outcome)")
    #expect(server.journal.runs.count == 1)
  }

  @Test("a call that waits and is to fail the command is 3 on older servers, too")
  func failsOnOlder() async throws {
    let home = try Home()
    let server = try await home.paired(.perSessionHTTP)
    let outcome = try await home.oppi(
      "ask",
      "-w",
      "demo",
      "--wait",
      "--on-ask",
      "fail",
      "--json",
      "deploy"
    )
    #expect(outcome.status == 3, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "waiting", "\(outcome)")
    #expect(try server.get("/permissions/pending").json["pending"].array?.count == 1)
  }
}
