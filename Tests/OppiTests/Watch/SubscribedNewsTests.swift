// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// News on servers with one stream for all sessions: the subscriptions of a watch, and its checks
/// between two queries.
@Suite struct SubscribedNewsTests {
  @Test("a session that ended is subscribed to again, even if it was loaded again meanwhile")
  func ended() {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: "hello")
      let context = world.intents
      let paired = try #require(try context.serverStore.load().servers.first)
      let line = WatchLine(to: paired, in: context)
      let listening = Task(executorPreference: world.loop) { try await line.listen {} }
      try await world.pass(.seconds(1))
      func subscriptions() -> Int {
        server.messages.count { $0.json["level"] == "notifications" }
      }
      func follow() async throws {
        await line.follow([session], on: paired)
        try await world.pass(.seconds(1))
      }
      for _ in 1...2 { try await follow() }
      #expect(subscriptions() == 1)
      await world.oppi("stop", "--session", "--", session, exits: 0)
      try await world.pass(.seconds(1))
      try await follow()
      #expect(subscriptions() == 2)
      listening.cancel()
      _ = await listening.result
    }
  }

  @Test("an event in one of two sessions is news, whichever is checked first")
  func quiet() {
    inWorld(.multiplexed) { world, server in
      let quiet = try await world.session(asking: "hello")
      let lively = try await world.session(asking: "hello")
      let calls = try await world.intents.connections.client(for: world.paired).within(.timeout)
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
