// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// The subscriptions of a watch on servers with one stream for all sessions.
@Suite struct SubscribedNewsTests {
  @Test("a session that ended is subscribed to again, even if it was loaded again meanwhile")
  func ended() {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: "hello")
      let context = world.intents
      let paired = try #require(try context.serverStore.load().servers.first)
      let calls = try await context.connections.client(for: paired).until(.farOff)
      let news = try #require(try await calls.openNews())
      let listening = Task(executorPreference: world.loop) { try await news.receive {} }
      func subscriptions() -> Int {
        server.messages.count { $0.json["level"] == "notifications" }
      }
      await news.follow([session])
      try await world.pass(.seconds(1))
      await news.follow([session])
      try await world.pass(.seconds(1))
      #expect(subscriptions() == 1)
      await world.oppi("stop", "--session", "--", session, exits: 0)
      try await world.pass(.seconds(1))
      await news.follow([session])
      try await world.pass(.seconds(1))
      #expect(subscriptions() == 2)
      await news.close()
      listening.cancel()
      _ = await listening.result
    }
  }
}
