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

  @Test("the whole output of a call is read by its new route")
  func output() {
    inWorld { world, server in
      let session = try await world.session(asking: "long output")
      _ = await world.oppi("show", "--call", "1", "--", session)
      let paths = server.requests.map(\.path).filter { $0.contains("/tool-output/") }
      #expect(paths.allSatisfy { !$0.hasSuffix("/full") }, "\(paths)")
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
}
