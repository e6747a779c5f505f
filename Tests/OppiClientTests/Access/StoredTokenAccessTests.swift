// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite("Access by a token of an older server", .needs("openssl"))
struct StoredTokenAccessTests {
  /// Runs a test of processes with such a token; the interventions are those in the first exchanges.
  private static func run(
    migrates: Bool = true,
    losing interventions: [Intervention] = [],
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    let trouble = Trouble()
    trouble.first(interventions, at: "/auth/migrate")
    inWorld(isPaired: false) {
      $0.interceptor = trouble.interceptor
      $0.migrates = migrates
      $0.legacyTokens = ["dt_old"]
    } _: { world, server in
      let paired = try #require(try server.paired())
      try await world.services.serverStore.update { $0.servers.append(paired) }
      try await world.services.credentials.store("dt_old", for: paired.id)
      try await body(world, server)
    }
  }

  @Test("is exchanged once for that of a device key")
  func migration() {
    Self.run { world, server in
      try await world.me()
      #expect(server.requests("/auth/migrate") == 1)
      guard case .device = try await world.credential() else {
        Issue.record("no device")
        return
      }
      server.expireTokens()
      try await world.me()
      #expect(server.requests("/auth/migrate") == 1)
      #expect(server.refreshes == 1)
    }
  }

  @Test("is exchanged once by fifty processes")
  func crowd() {
    Self.run { world, server in
      try await world.crowd()
      #expect(server.requests("/auth/migrate") == 1)
      #expect(server.refreshes == 0)
    }
  }

  @Test("is refused where the server does not exchange it, and is kept")
  func refused() {
    Self.run(migrates: false) { world, _ in
      #expect(await world.failure()?.refusedStatus == 401)
      let kept = try await world.credential()
      #expect(kept == .token("dt_old"))
    }
  }

  @Test("is exchanged after a lost answer, with the same key")
  func lostAnswer() {
    Self.run(losing: [.performThenDrop]) { world, server in
      guard case .noToken(.transport)? = await world.failure()?.reason else {
        Issue.record("no transport error")
        return
      }
      try await world.me()
      #expect(server.requests("/auth/migrate") == 2)
    }
  }
}
