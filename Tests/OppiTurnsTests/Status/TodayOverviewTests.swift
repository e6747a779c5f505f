// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Lists and records of servers with session sockets, whose dialect is not known at first.
@Suite struct TodayOverviewTests {
  @Test("a command learns the dialect from a missing route, and stores it")
  func detection() {
    inWorld(.sessionSockets) { world, server in
      await world.oppi("sessions", "--json", exits: 0)
      let paths = server.requests.map(\.path)
      #expect(paths.count { $0.hasPrefix("/permissions") } == 1, "\(paths)")
      #expect(paths.contains { $0.hasPrefix("/sessions/recent") }, "\(paths)")
      let show = await world.oppi("servers", "show", "studio", "--json")
      #expect(show.json["dialect"] == "sessionSockets", "\(show)")
      let before = server.requests.count
      _ = await world.oppi("sessions", "--json")
      let later = server.requests.dropFirst(before).map(\.path)
      #expect(!later.contains { $0.hasPrefix("/permissions") || $0 == "/server/info" }, "\(later)")
    }
  }

  @Test("sessions that wait for dialogs come first; no agent is started and no socket opened")
  func states() {
    inWorld { world, server in
      let idle = try await world.session(asking: "hello")
      let asking = try await world.session(asking: "ask confirm")
      let before = server.requests.count
      let outcome = await world.oppi("sessions", "--json")
      let sessions = outcome.json["sessions"].array ?? []
      #expect(sessions.map(\.["id"].string) == [asking, idle], "\(outcome)")
      #expect(sessions.map(\.["state"]) == ["waiting", "idle"], "\(outcome)")
      let status = await world.oppi("status", "--json")
      #expect(status.json["status"] == "awaitingApproval", "\(status)")
      #expect(status.json["pendingApprovals"] == 1, "\(status)")
      let later = server.requests.dropFirst(before)
      #expect(later.allSatisfy { $0.method == "GET" && !$0.path.hasSuffix("/stream") })
    }
  }

  @Test("a failed turn is listed with its reason")
  func failure() {
    inWorld { world, server in
      let failed = try await world.session(asking: "empty")
      let outcome = await world.oppi("sessions", "--state", "failed", "--json")
      let rows = outcome.json["sessions"].array ?? []
      #expect(rows.map(\.["id"].string) == [failed], "\(outcome)")
      #expect(rows.first?["error"] == "the agent returned no answer", "\(outcome)")
    }
  }

  @Test("a session is shown without its workspace, by the start of its id or the whole id")
  func show() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      for name in [session, String(session.prefix(6)), "studio/\(session)"] {
        let outcome = await world.oppi("show", "--", name)
        #expect(outcome.output == "The command printed: hi\n", "\(outcome)")
      }
      _ = await world.oppi("stop", "--session", "--", session)
      let before = server.requests.count
      let ended = await world.oppi("show", "--", session)
      #expect(ended.output == "The command printed: hi\n", "\(ended)")
      let later = server.requests.dropFirst(before).map(\.path)
      #expect(!later.contains { $0.hasSuffix("/resume") || $0.hasSuffix("/stream") }, "\(later)")
    }
  }

  @Test("the whole output of a call is read by its new route")
  func output() {
    inWorld { world, server in
      let session = try await world.session(asking: "long output")
      _ = await world.oppi("show", "--call", "1", "--", session)
      let paths = server.requests.map(\.path).filter { $0.contains("/tool-output/") }
      #expect(paths.allSatisfy { !$0.hasSuffix("/full") }, "\(paths)")
    }
  }

  @Test("idle sessions are ended, but not those with a pending dialog")
  func idle() {
    inWorld { world, server in
      let idle = try await world.session(asking: "hello")
      let asking = try await world.session(asking: "ask confirm")
      try await world.pass(.seconds(70))
      await world.oppi("stop", "--idle", "--yes", "--json", exits: 0)
      let list = await world.oppi("sessions", "--json")
      let states = (list.json["sessions"].array ?? []).map { [$0["id"], $0["state"]] }
      #expect(states == [[.string(asking), "waiting"], [.string(idle), "done"]], "\(list)")
    }
  }

  @Test("the server keeps no record of decisions, and says so")
  func audit() {
    inWorld { world, server in
      let outcome = await world.oppi("approvals", "log", exits: 69)
      #expect(outcome.errors.contains("studio keeps no record of decisions"), "\(outcome)")
      #expect(!server.requests.contains { $0.path.hasPrefix("/policy") })
    }
  }

  @Test("a server without a search index is named")
  func search() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      _ = try await world.session(asking: "hello")
      let found = await world.oppi("search", "hello", "--json")
      #expect(found.json["sessions"].array?.count == 1, "\(found)")
      trouble.begin { step in
        guard case .request(let request, _) = step, request.target.hasPrefix("/sessions/search")
        else { return .proceed }
        return .answer(status: 503, error: "Search index not available")
      }
      let outcome = await world.oppi("search", "hello", exits: 69)
      #expect(outcome.errors.hasPrefix("oppi: studio has no search index"), "\(outcome)")
    }
  }

  @Test("doctor says that tools run without approval, and compares the clocks")
  func doctor() {
    inWorld { world, server in
      let outcome = await world.oppi("doctor", "--json")
      let findings = (outcome.json["findings"].array ?? []).filter { $0["check"] == "servers" }
      let messages = findings.compactMap(\.["message"].string)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(messages.contains { $0.hasPrefix("studio runs tools without approval") })
      #expect(!messages.contains { $0.contains("clock") }, "\(messages)")
    }
  }
}
