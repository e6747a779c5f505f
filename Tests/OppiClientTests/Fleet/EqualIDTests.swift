// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Two servers with the same ids of workspaces, sessions and requests: an id alone names nothing.
@Suite struct EqualIDTests {
  /// Runs a test with the servers studio and attic; a deployment waits on each of `places`.
  private func inTwins(
    deploying places: String...,
    body: @escaping @Sendable (World, IDs) async throws -> Void
  ) {
    inWorld(where: \.countsIDs, is: true) { world, studio in
      _ = try await world.addServer(named: "attic") { $0.countsIDs = true }
      for place in places { _ = await world.oppi("ask", "-q", "-w", place, "deploy") }
      try await world.pass()
      let rows = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      let ids = rows.map { IDs(session: $0["sessionId"].string, request: $0["id"].string) }
      try #require(ids.count == places.count && Set(ids).count == 1, "\(rows)")
      try await body(world, ids[0])
    }
  }

  private struct IDs: Hashable {
    var session: String
    var request: String

    init(session: String?, request: String?) {
      (self.session, self.request) = (session ?? "", request ?? "")
    }
  }

  @Test("completion names the server of a request, and has those of the chosen server only")
  func completion() {
    inTwins(deploying: "attic/webapp") { world, ids in
      let words = await world.oppi("__complete", "--", "approve", "")
      #expect(words.output.contains("attic/webapp"), "\(words)")
      #expect(!words.output.contains("studio/webapp"), "\(words)")
      let other = await world.oppi("__complete", "--", "--server", "studio", "approve", "")
      #expect(!other.output.contains(ids.request), "\(other)")
      let same = await world.oppi("__complete", "--", "approve", "--server=attic", "")
      #expect(same.output.contains(ids.request), "\(same)")
    }
  }

  @Test("completion names the workspace of a request as its own server does")
  func workspaceName() {
    inWorld(where: \.countsIDs, is: true) { world, _ in
      _ = try await world.addServer(named: "attic") {
        $0.countsIDs = true
        $0.workspaces[1].name = "shop"
      }
      let places = ["attic/shop", "studio/webapp"]
      for place in places { await world.oppi("ask", "-q", "-w", place, "deploy", exits: 0) }
      try await world.pass()
      _ = await world.oppi("approvals")
      await world.oppi("__complete", "--", "approve", "") { places.allSatisfy($0.output.contains) }
    }
  }

  @Test("completion offers sessions with the same id by their servers")
  func sessions() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      let words = await world.oppi("__complete", "--", "show", "")
      let names = words.lines.map { $0.split(separator: "\t").first ?? "" }
      #expect(names.contains("attic/\(ids.session)"), "\(words)")
      #expect(names.contains("studio/\(ids.session)"), "\(words)")
      #expect(!names.contains(Substring(ids.session)), "\(words)")
    }
  }

  @Test("completion of answer offers questions with the same id by their servers")
  func questions() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, _ in
      for name in ["attic", "studio"] {
        await world.oppi("ask", "-q", "-w", "\(name)/demo", "question", exits: 0)
      }
      try await world.pass()
      let ids = Set(await world.requestIDs().filter { $0.hasPrefix("ask") })
      let id = try #require(ids.first)
      let words = await world.oppi("__complete", "--", "answer", "")
      let names = words.lines.map { $0.split(separator: "\t").first ?? "" }
      #expect(ids.count == 1 && !names.contains(Substring(id)), "\(words)")
      for name in ["attic/\(id)", "studio/\(id)"] {
        #expect(names.contains(Substring(name)), "\(words)")
        await world.oppi("answer", name, exits: 0) { $0.output.contains("Which tests") }
      }
    }
  }

  @Test("a session, a request and a workspace are ambiguous by id alone, and both are counted")
  func ambiguous() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      for words in [["show"], ["stop"], ["stop", "--session"], ["ask", "more", "-s"], ["follow"]] {
        let session = await world.oppi(words + [ids.session], exits: 64)
        for name in ["studio/\(ids.session)", "attic/\(ids.session)"] {
          #expect(session.errors.contains(name), "\(session)")
        }
      }
      let place = world.servers[0].workspaces[1]
      for words in [
        ["deny", ids.request], ["approvals", "show", ids.request],
        ["ask", "-w", place.name, "more"], ["ask", "-w", place.id, "more"],
      ] {
        let outcome = await world.oppi(words, exits: 64)
        for name in ["studio", "attic"] { #expect(outcome.errors.contains(name), "\(outcome)") }
      }
      #expect(world.servers.allSatisfy { $0.heard == ["deploy"] && $0.decisions == 0 })
      let status = await world.oppi("status", "--json").json
      #expect(status["pendingApprovals"] == 2 && status["sessions"]["waiting"] == 2, "\(status)")
    }
  }

  @Test("a request with the id of another one is decided on its own server only")
  func decides() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      let unclear = await world.oppi("approve", ids.request, exits: 64)
      for name in ["studio", "attic"] {
        #expect(unclear.errors.contains("\(name)/\(ids.request)"), "\(unclear)")
      }
      #expect(world.servers.allSatisfy { $0.decisions == 0 })
      await world.oppi("approve", "--server", "attic", ids.request, exits: 0)
      let left = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      #expect(left.map(\.["server"]["name"]) == ["studio"], "\(left)")
    }
  }

  @Test("an id that an unreachable server had too names both servers, and is decided on neither")
  func decidesWithoutOne() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      let (studio, attic) = (world.servers[0], world.servers[1])
      await studio.end(.killed)
      let unclear = await world.oppi("approve", ids.request, exits: 64)
      for name in ["studio", "attic"] {
        #expect(unclear.errors.contains("\(name)/\(ids.request)"), "\(unclear)")
      }
      for words in [["show"], ["stop", "--session"], ["ask", "more", "-s"]] {
        let session = await world.oppi(words + [ids.session], exits: 64)
        #expect(session.errors.contains("studio/\(ids.session)"), "\(session)")
        #expect(session.errors.contains("attic/\(ids.session)"), "\(session)")
      }
      #expect(attic.decisions == 0 && attic.heard == ["deploy"])
      await world.oppi("approve", "--server", "attic", ids.request, exits: 0)
      try await world.pass()
      // The other one may still be pending.
      await world.oppi("approve", ids.request, exits: 69)
    }
  }

  @Test("deny --all denies the requests of one server's workspace")
  func deniesAll() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      await world.oppi("deny", "--all", "-w", "attic/webapp", "--yes", exits: 0)
      let left = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      #expect(left.map(\.["server"]["name"]) == ["studio"], "\(left)")
    }
  }

  @Test("a decision is in the log of its own server only")
  func log() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      await world.oppi("deny", "--server", "attic", ids.request, exits: 0)
      let log = await world.oppi("approvals", "log", "--json")
      let servers = log.json["log"].array?.map(\.["server"]["name"]) ?? []
      #expect(servers == ["attic"], "\(log)")
    }
  }

  @Test("a queued prompt keeps the session on its own server only")
  func deletesSession() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      for name in ["attic", "studio"] {
        _ = await world.oppi("stop", "--session", "\(name)/\(ids.session)")
      }
      let attic = try #require(world.servers.last)
      await world.lose(attic)
      let words = ["ask", "--queue", "-s", "attic/\(ids.session)", "later"]
      await world.oppi(words, exits: 0)
      try attic.start()
      try await world.pass(.seconds(4000))
      let delete = ["sessions", "delete", "--older", "1h", "--all-workspaces", "--yes", "--json"]
      let outcome = await world.oppi(delete)
      let rows = outcome.json["sessions"].array ?? []
      let states = rows.map { [$0["server"]["name"].string ?? "", $0["state"].string ?? ""] }
      #expect(Set(states) == [["attic", "kept"], ["studio", "deleted"]], "\(outcome)")
    }
  }

  @Test("named sessions are deleted on their own servers only")
  func deletesNamed() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      for name in ["attic", "studio"] {
        await world.oppi("stop", "--session", "\(name)/\(ids.session)", exits: 0)
      }
      let asked = await world.oppi("ask", "-q", "-w", "studio/demo", "hello", exits: 0)
      let other = try #require(asked.lines.first)
      try await world.pass()
      let places = ["attic/\(ids.session)", "studio/\(other)"]
      let words = ["sessions", "delete", "--yes", "--json"]
      let outcome = await world.oppi(words + places, exits: 0)
      let rows = outcome.json["sessions"].array ?? []
      let deleted = rows.map { "\($0["server"]["name"].string ?? "")/\($0["id"].string ?? "")" }
      #expect(deleted.sorted() == places, "\(outcome)")
      #expect(world.servers.map(\.sessionsRemoved) == [1, 1])
    }
  }

  @Test("a prompt in the history has the state of the session on its own server")
  func history() {
    inTwins(deploying: "attic/webapp", "studio/webapp") { world, ids in
      await world.oppi("stop", "--session", "attic/\(ids.session)", exits: 0)
      _ = await world.oppi("sessions")
      let entries = await world.oppi("history", "--json").json["history"].array ?? []
      let seen = entries.map { [$0["workspace"]["name"].string, $0["seenPhase"].string] }
      #expect(entries.map(\.["seenPhase"]) == ["waiting", "ended"], "\(entries) \(seen)")
    }
  }

  @Test("completion of approve offers no question that it refuses, and answer only questions")
  func kinds() {
    inWorld { world, _ in
      let (confirm, select) = ("ask confirm", "ask select")
      for prompt in [confirm, select] { _ = try await world.session(asking: prompt) }
      _ = await world.oppi("approvals")
      func offered(_ command: String) async -> String {
        await world.oppi("__complete", "--", command, "").output
      }
      for command in ["approve", "deny"] {
        let words = await offered(command)
        #expect(words.contains(confirm) && !words.contains(select), "\(words)")
      }
      #expect(await offered("answer").contains(select))
      let shown = await world.oppi("__complete", "--", "approvals", "show", "").output
      #expect(shown.contains(confirm) && shown.contains(select), "\(shown)")
    }
  }
}
