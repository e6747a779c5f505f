// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// News on servers with one stream for all sessions: the subscriptions of a watch, and its checks
/// between two queries.
@Suite struct SubscribedNewsTests {
  /// Runs a test with an idle session; `follow` has a line subscribe to it, and returns how often a
  /// line has.
  private func withLine(
    _ body:
      @escaping @Sendable (
        World, VirtualServer, String, _ follow: @escaping @Sendable () async throws -> Int
      ) async throws -> Void
  ) {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: "hello")
      let paired = try world.paired
      let line = WatchLine(to: paired, in: world.services)
      let listening = Task(executorPreference: world.loop) { try await line.listen {} }
      try await world.pass(.seconds(1))
      try await body(world, server, session) {
        await line.follow([session], on: paired)
        try await world.pass(.seconds(1))
        return server.messages.count { $0.json["level"] == "notifications" }
      }
      listening.cancel()
      _ = await listening.result
    }
  }

  @Test("a session that ended is subscribed to again, even if it was loaded again meanwhile")
  func ended() {
    withLine { world, _, session, follow in
      for _ in 1...2 { #expect(try await follow() == 1) }
      await world.oppi("stop", "--session", "--", session, exits: 0)
      try await world.pass(.seconds(1))
      #expect(try await follow() == 2)
    }
  }

  @Test("after a lost connection, each session is subscribed to again, once")
  func reconnected() {
    withLine { world, server, _, follow in
      #expect(try await follow() == 1)
      await server.end(.killed)
      try server.start()
      try await world.pass(.seconds(20))
      for _ in 1...2 { #expect(try await follow() == 2) }
    }
  }

  @Test(
    "a counter that began anew, and a gap in the events, are news",
    arguments: [(0, true, [true, false]), (1 << 40, false, [true, true])]
  )
  func missed(counter: Int, isComplete: Bool, news: [Bool]) {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      let session = try await world.session(asking: "hello")
      let calls = try await world.services.connections.client(for: world.paired).within(.timeout)
      let running = try await calls.listSessions().filter { $0.id == session }
      var probe = ChangeProbe()
      var found: [Bool] = []
      for _ in 1...2 { found.append(try await probe.hasNews(of: running, calls)) }
      trouble.begin { step in
        guard case .request(let request, _) = step,
          request.target.contains("/\(session)/events")
        else { return .proceed }
        return .answer(json: [
          "events": [], "currentSeq": .integer(Int64(counter)),
          "catchUpComplete": .bool(isComplete),
        ])
      }
      for _ in 1...2 { found.append(try await probe.hasNews(of: running, calls)) }
      #expect(found == [true, false] + news)
    }
  }

  @Test("an event in one of two sessions is news, whichever is checked first")
  func quiet() {
    inWorld(.multiplexed) { world, server in
      let quiet = try await world.session(asking: "hello")
      let lively = try await world.session(asking: "hello")
      let calls = try await world.services.connections.client(for: world.paired).within(.timeout)
      let sessions = try await calls.listSessions().filter { [quiet, lively].contains($0.id) }
      try #require(sessions.count == 2)
      for running in [sessions, sessions.reversed()] {
        var probe = ChangeProbe()
        _ = try await probe.hasNews(of: running, calls)
        let before = try await probe.hasNews(of: running, calls)
        await world.oppi("ask", "-q", "-s", lively, "hello", exits: 0)
        let after = try await probe.hasNews(of: running, calls)
        #expect(!before && after)
        try await world.pass()
      }
    }
  }
}
