// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite("Access by a token of an older server", .needs("openssl"))
struct StoredTokenAccessTests {
  /// The processes of a user with such a token; with interventions, those of the first exchanges.
  private static func run(
    migrates: Bool = true,
    losing interventions: [Intervention] = [],
    _ body:
      @escaping @Sendable (
        DeviceHome, @Sendable () -> DeviceHome.Process, PairedServer
      ) async throws -> Void
  ) throws {
    let home = try DeviceHome(answering: "/auth/migrate", interventions) {
      $0.migrates = migrates
      $0.legacyTokens = ["dt_old"]
    }
    try home.run { process in
      let server = try home.paired()
      try await process().credentials.store("dt_old", for: server.id)
      try await body(home, process, server)
    }
  }

  @Test("is exchanged once for that of a device key")
  func migration() throws {
    try Self.run { home, process, server in
      try await process().me(server)
      #expect(home.requests("/auth/migrate") == 1)
      guard case .device = try await process().credentials.credential(for: server) else {
        Issue.record("no device")
        return
      }
      home.server.expireTokens()
      try await process().me(server)
      #expect(home.requests("/auth/migrate") == 1)
      #expect(home.server.refreshes == 1)
    }
  }

  @Test("is exchanged once by fifty processes")
  func crowd() throws {
    try Self.run { home, process, server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          let own = process()
          group.addTask { try await own.me(server) }
        }
        try await group.waitForAll()
      }
      #expect(home.requests("/auth/migrate") == 1)
      #expect(home.server.refreshes == 0)
    }
  }

  @Test("is refused where the server does not exchange it, and is kept")
  func refused() throws {
    try Self.run(migrates: false) { home, process, server in
      #expect(await process().failure(server)?.refusedStatus == 401)
      let kept = try await process().credentials.credential(for: server)
      #expect(kept == .token("dt_old"))
    }
  }

  @Test("is exchanged after a lost answer, with the same key")
  func lostAnswer() throws {
    try Self.run(losing: [.performThenDrop]) { home, process, server in
      guard case .noToken(.transport)? = await process().failure(server)?.reason else {
        Issue.record("no transport error")
        return
      }
      try await process().me(server)
      #expect(home.requests("/auth/migrate") == 2)
    }
  }
}
