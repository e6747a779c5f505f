// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// `oppi watch` on a server that has revoked this device.
@Suite("Watch without access", .needs("openssl"))
struct RevokedWatchTests {
  @Test("asks every five minutes, and works as before after pairing again")
  func revoked() {
    inWorld(.deviceKeys) { world, server in
      let watching = try await Watching("--json", in: world)
      try await world.pass(.seconds(60))
      server.revokeDevices()
      try await world.pass(.seconds(120))
      let count = server.requests.count
      try await world.pass(.seconds(3600))
      let more = server.requests.count - count
      #expect((12...30).contains(more), "\(more) requests")
      let invite = try #require(server.inviteText())
      try #require(await world.oppi("pair", invite).status == 0)
      try await world.pass(.seconds(20))
      _ = await world.oppi("ask", "-q", "-w", "demo", "ask select")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Question pending: studio/demo"])
      let outcome = await watching.end()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.errors.ranges(of: "has revoked this device").count == 1, "\(outcome)")
    }
  }
}
