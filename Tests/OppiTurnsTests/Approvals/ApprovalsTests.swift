// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi approvals`, `oppi approve` and `oppi deny`.
@Suite struct ApprovalsTests {
  private static func last(_ world: World, _ session: String) async throws -> String {
    try await world.pass()
    return await world.oppi("show", "--", session).output
  }

  @Test("a request that is too long to be shown in full can be denied but not approved")
  func tooLong() {
    inTroubledWorld(.gated) { world, server, trouble in
      let call = JSONValue.call("long-one", String(repeating: "ls; ", count: 40_000))
      trouble.begin { step in
        if step.isRequest("/respond") { return .answer(json: ["ok": true]) }
        return step.isRequest("/pending") ? .pending([call]) : .proceed
      }
      let listed = await world.oppi("approvals", "--json")
      let row = listed.json["approvals"].array?.first ?? .null
      #expect(row["isWhole"] == false && row["risk"] == "high", "\(row["id"])")
      let approved = await world.oppi("approve", "long-one", exits: 65)
      #expect(approved.errors.contains("too long to be shown in full"), "\(approved)")
      #expect(await world.oppi("deny", "long-one").status == 0)
    }
  }

  @Test(
    "an approval runs the call, and is reported once the server has confirmed it",
    arguments: Dialect.both
  )
  func approves(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      let outcome = await world.oppi("approve", "--", String(id.prefix(5)), exits: 0)
      #expect(outcome.output == "approved\t\(id)\tonce\tbash: git push origin main\n", "\(outcome)")
      #expect(try await Self.last(world, session) == "The branch is pushed.\n")
      let again = await world.oppi("approve", "--json", "--", id, exits: 5)
      #expect(again.json["decisions"].array?.first?["state"] == "too-late", "\(again)")
    }
  }

  @Test(
    "a name that no request has is status 66, not a request that is gone",
    arguments: Dialect.all
  )
  func unknown(dialect: Dialect) {
    inWorld(dialect) { world, server in
      for words in [["approve"], ["deny"], ["approvals", "show"], ["answer"]] {
        let outcome = await world.oppi(words + ["nosuch"], exits: 66)
        let thing = words == ["answer"] && dialect.requests == .permissions ? "session" : "request"
        #expect(outcome.errors.hasPrefix("oppi: no \(thing) 'nosuch'\n"), "\(outcome)")
      }
    }
  }

  @Test("a denied call does not run", arguments: Dialect.both)
  func denies(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let (session, id) = try await world.waiting(asking: "wipe")
      let outcome = await world.oppi("deny", "--json", "--", id, exits: 0)
      #expect(outcome.json["decisions"].array?.first?["state"] == "denied", "\(outcome)")
      #expect(try await Self.last(world, session) == "Not cleared: Denied by user\n")
      // Decisions sent over a stream use only terms that the server knows.
      let words = server.messages.filter { $0.type == "permission_response" }.map(\.json)
      #expect(words.allSatisfy { $0["action"] == "deny" && $0["scope"] == "once" })
      #expect(words.isEmpty == (dialect == .multiplexed))
    }
  }

  @Test("--scope session lets the same call run again without an approval")
  func scope() {
    inWorld(.gated) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      let outcome = await world.oppi("approve", "--scope", "session", "--", id)
      #expect(outcome.output.contains("\tfor the session\t"), "\(outcome)")
      _ = await world.oppi("ask", "-s", session, "deploy")
      #expect(try await Self.last(world, session) == "The branch is pushed.\n")
      #expect(await world.oppi("approve", "--scope", "allow", id).status == 64)
    }
  }

  @Test(
    "of two concurrent decisions the first applies, and the second is reported as too late",
    arguments: Dialect.both
  )
  func atOnce(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      let approval = world.begin("approve", "--", id)
      let denial = world.begin("deny", "--", id)
      let outcomes = [await approval.value, await denial.value]
      #expect(Set(outcomes.map(\.status)) == [0, 5], "\(outcomes)")
      let isApproved = outcomes[0].status == 0
      #expect(
        try await Self.last(world, session)
          == (isApproved ? "The branch is pushed.\n" : "Not pushed: Denied by user\n")
      )
    }
  }

  @Test("several requests are decided independently")
  func several() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      _ = try await world.session(asking: "wipe")
      let ids = await world.requestIDs()
      let outcome = await world.oppi(["deny", "--", "9T1aeoZLDYNQ"] + ids + ids, exits: 5)
      #expect(outcome.lines.count == 2, "\(outcome)")
      #expect(server.decisions == 2)
    }
  }

  @Test("an expired request can no longer be decided", arguments: Dialect.both)
  func expired(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      try await world.pass(.seconds(130))
      let outcome = await world.oppi("approve", "--", id, exits: 5)
      #expect(outcome.errors.contains("no longer pending"), "\(outcome)")
      #expect(try await Self.last(world, session) == "Not pushed: Approval timeout\n")
      let log = await world.oppi("approvals", "log", "--json")
      let last = log.json["decisions"].array?.first
      #expect(last?["decision"] == "deny" && last?["decidedBy"] == "timeout", "\(log)")
    }
  }

  @Test(
    "a decision whose response is late or lost is unknown, also if the request is still listed"
  )
  func lost() {
    inTroubledWorld(.gated) { world, server, trouble in
      let id = try await world.request(asking: "deploy")
      trouble.at("/respond", .drop)
      await world.oppi("approve", "--", id, exits: 6)
      #expect(await world.requestIDs() == [id])
      // A slow server may still act on it.
      trouble.at("/respond", .hang)
      let slow = await world.oppi("approve", "--json", "--", id)
      #expect(slow.status == 6 && slow.elapsed < .seconds(20), "\(slow)")
      #expect(await world.requestIDs() == [id])
      trouble.at("/respond", .performThenDrop)
      let after = await world.oppi("approve", "--json", "--", id, exits: 6)
      #expect(after.json["decisions"].array?.first?["state"] == "unknown", "\(after)")
    }
  }

  @Test("a lost response to a decision is unknown even if another request is pending")
  func lostBesideAnother() {
    inTroubledWorld(.gated) { world, server, trouble in
      for _ in 0..<2 { _ = try await world.session(asking: "deploy") }
      let ids = await world.requestIDs()
      let id = try #require(ids.first)
      trouble.at("/respond", .performThenDrop)
      await world.oppi("approve", "--json", "--", id, exits: 6)
      #expect(ids.count == 2 && server.decisions == 1)
    }
  }

  @Test(
    "with an unreachable server, only a settled request is gone, and a listed one is decided",
    arguments: [Dialect.gated, .deviceKeys]
  )
  func oneAway(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let attic = try await world.addServer(named: "attic") { $0.dialect = dialect }
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", "deploy")
      try await world.pass()
      let settled = try #require(await world.requestIDs().first)
      #expect(await world.oppi("deny", "--", settled).status == 0)
      await attic.end(.killed)
      await world.oppi("approve", "--", settled, exits: 5)
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", "deploy")
      try await world.pass()
      let id = try #require(await world.requestIDs().first)
      #expect(await world.oppi("approve", "--", "\(id)x").status == 69)
      #expect(await world.oppi("approve", "--", String(id.prefix(5))).status == 0)
      #expect(server.decisions == 2)
    }
  }

  /// Runs a body with the id of a request on studio, which is in no snapshot, and a second server.
  private func withUnseenRequest(
    _ dialect: Dialect,
    _ body: @escaping @Sendable (World, VirtualServer, String) async throws -> Void
  ) {
    inWorld(dialect) { world, server in
      let attic = try await world.addServer(named: "attic") { $0.dialect = dialect }
      _ = await world.oppi("servers", "test")
      let prompt = dialect.requests.hasGate ? "deploy" : "gate"
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", prompt)
      try await world.pass()
      let list = await world.oppi("approvals", environment: ["XDG_CACHE_HOME": "/tmp/cache"])
      let id = try #require(list.lines.first?.split(separator: "\t").first)
      try await body(world, attic, String(id))
    }
  }

  @Test(
    "a request that this machine settled is gone even if no snapshot had it and a server is away",
    arguments: [Dialect.multiplexed, .sessionSockets]
  )
  func settledHere(dialect: Dialect) {
    withUnseenRequest(dialect) { world, attic, id in
      await world.oppi("deny", "--", id, environment: ["XDG_CACHE_HOME": "/tmp/cache"], exits: 0)
      // The record of what was shown drops the oldest.
      world.forgetShown()
      await attic.end(.killed)
      for words in [["approve"], ["deny"], ["approvals", "show"]] {
        let late = await world.oppi(words + ["--", id])
        #expect(late.status == 5, "\(words): \(late)")
      }
      if dialect.requests.listsDialogs {
        await world.oppi("answer", "--yes", "--", id, exits: 5)
      }
      // It is not known to have been pending anywhere.
      #expect(await world.oppi("approve", "--", "\(id)x").status == 69)
    }
  }

  @Test("a request that expired on a server is gone by its events while another server is away")
  func settledElsewhere() {
    withUnseenRequest(.multiplexed) { world, attic, id in
      let studio = try #require(world.servers.first)
      func events() -> Int { studio.requests.count { $0.path.hasPrefix("/stream/events") } }
      try await world.pass(.seconds(130))
      let count = events()
      _ = await world.oppi("approve", "--", id)
      #expect(events() == count)
      await attic.end(.killed)
      await world.oppi("approve", "--", id, exits: 5)
      #expect(await world.oppi("approvals", "show", "--", id).status == 5)
      #expect(await world.oppi("approve", "--", "\(id)x").status == 69)
      #expect(events() > count)
    }
  }
}
