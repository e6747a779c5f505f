// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// How long a used key is remembered.
@Suite struct OutboxMemoryTests {
  private static let day = 86_400
  private static let words = ["ask", "--json", "-w", "demo", "--key", "nightly", "hello"]

  @Test(
    "a prompt is not sent again under its key within 30 days",
    arguments: [1800, 86_400, 29 * 86_400, 30 * 86_400 - 60]
  )
  func remembered(seconds: Int) {
    inWorld(.multiplexed) { world, server in
      _ = await world.oppi(Self.words)
      world.kernel.jumpDay(by: .seconds(seconds))
      _ = await world.oppi("outbox", "flush")
      let again = await world.oppi(Self.words)
      #expect(again.status == 0 && server.heard == ["hello"], "\(again)")
      // The 30 days count from the delivery, and not from the last use of the key.
      world.kernel.jumpDay(by: .seconds(30 * Self.day - seconds + 60))
      _ = await world.oppi("outbox", "flush")
      _ = await world.oppi(Self.words)
      #expect(server.heard == ["hello", "hello"])
    }
  }

  @Test("a key is forgotten after 30 days, and not earlier")
  func edge() {
    inWorld(.multiplexed) { world, server in
      _ = await world.oppi(Self.words)
      let path = "\(World.home)/.local/state/oppi/outbox/nightly.json"
      let json = try JSONValue(parsing: try #require(world.disk.contents(of: path)))
      let used = Timestamp(milliseconds: try #require(json["changedAt"].int))
      func flush(at moment: Timestamp) async {
        let now = world.loop.timestamp()
        world.kernel.jumpDay(by: .milliseconds(moment.milliseconds - now.milliseconds))
        _ = await world.oppi("outbox", "flush")
      }
      let end = used.moved(by: .seconds(30 * Self.day))
      for early in [Duration.seconds(1800), .seconds(29 * Self.day)] {
        await flush(at: used.moved(by: early))
        #expect(world.disk.contents(of: path) != nil)
      }
      await flush(at: end.moved(by: .seconds(-2)))
      #expect(world.disk.contents(of: path) != nil)
      await flush(at: end.moved(by: .seconds(2)))
      #expect(world.disk.contents(of: path) == nil)
    }
  }

  @Test("a prompt with an unknown outcome is never forgotten")
  func unknown() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      _ = await world.oppi("workspaces")
      trouble.begin { $0.isMessage("prompt") ? .hang : .proceed }
      _ = await world.oppi("ask", "--key", "k", "-w", "demo", "hello")
      trouble.end()
      world.kernel.jumpDay(by: .seconds(400 * Self.day))
      _ = await world.oppi("outbox", "flush")
      #expect(await world.oppi("outbox").output.hasPrefix("k\tunknown\t"))
      #expect(await world.oppi("ask", "--key", "k", "-w", "demo", "hello").status == 6)
      #expect(server.heard.isEmpty)
    }
  }
}
