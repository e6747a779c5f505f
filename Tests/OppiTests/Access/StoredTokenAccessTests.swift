// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import Synchronization
import TestSupport
import Testing

@testable import Oppi

@Suite("Access by a token of an older server", .needs("openssl"))
struct StoredTokenAccessTests {
  private static func home(migrates: Bool = true) throws -> DeviceHome {
    try DeviceHome {
      $0.migrates = migrates
      $0.legacyTokens = ["dt_old"]
    }
  }

  @Test("is exchanged once for that of a device key")
  func migration() throws {
    let home = try Self.home()
    try home.run { process in
      let server = try home.paired()
      try await process().credentials.store("dt_old", for: server.id)
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
    let home = try Self.home()
    try home.run { process in
      let server = try home.paired()
      try await process().credentials.store("dt_old", for: server.id)
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
    let home = try Self.home(migrates: false)
    try home.run { process in
      let server = try home.paired()
      try await process().credentials.store("dt_old", for: server.id)
      #expect(await process().failure(server)?.refusedStatus == 401)
      #expect(try await process().credentials.credential(for: server) == .token("dt_old"))
    }
  }

  @Test("is exchanged after a lost answer, with the same key")
  func lostAnswer() throws {
    let isLost = Atomic(false)
    let home = try DeviceHome {
      $0.migrates = true
      $0.legacyTokens = ["dt_old"]
      $0.interceptor = { step in
        guard case .request(let request, _) = step, request.target == "/auth/migrate",
          !isLost.exchange(true, ordering: .relaxed)
        else { return .proceed }
        return .performThenDrop
      }
    }
    try home.run { process in
      let server = try home.paired()
      try await process().credentials.store("dt_old", for: server.id)
      guard case .noToken(.transport)? = await process().failure(server)?.reason else {
        Issue.record("no transport error")
        return
      }
      try await process().me(server)
      #expect(home.requests("/auth/migrate") == 2)
    }
  }
}
