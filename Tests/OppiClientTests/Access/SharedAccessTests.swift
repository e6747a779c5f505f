// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

/// The turns in which commands replace the access token that they share, in virtual time.
@Suite("Shared access", .needs("openssl"))
struct SharedAccessTests {
  @Test("a command that hangs while it requests a token delays others by 2 s, and only once")
  func hanging() {
    inTroubledWorld { world, server, trouble in
      server.expireTokens()
      trouble.at("/auth/refresh", .hang)
      let holder = world.begin("--timeout", "60", "models", "-w", "demo")
      try await world.pass(.seconds(1))
      trouble.end()
      let others = [0, 1, 2].map { _ in world.begin("models", "-w", "demo") }
      for other in others {
        let outcome = await other.value
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.elapsed >= .seconds(2) && outcome.elapsed < .seconds(3), "\(outcome)")
      }
      #expect(server.refreshes == 1)
      await world.oppi("models", "-w", "demo", exits: 0) { $0.elapsed < .milliseconds(500) }
      _ = await holder.value
    }
  }
}
