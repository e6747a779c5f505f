// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

/// The access token that `oppi watch` shares with all other commands.
@Suite("Access during a watch", .needs("openssl"))
struct WatchAccessTests {
  @Test("no command requests a token while a watch runs", arguments: ["30s", nil])
  func fresh(poll: String?) {
    inWorld { world, server in
      let watching =
        if let poll { try await Watching("--poll", poll, in: world) } else {
          try await Watching(in: world)
        }
      try await world.pass(.seconds(10))
      let begin = server.refreshes
      for _ in 0..<120 {
        try await world.pass(.seconds(29))
        let known = server.requests.count
        await world.oppi("sessions", exits: 0)
        // The watch may replace the token at that moment; a command would do so before it lists.
        let paths = server.requests.dropFirst(known).map(\.path)
        let list = try #require(paths.firstIndex(of: "/sessions/recent"))
        #expect(paths.firstIndex(of: "/auth/refresh").map { list < $0 } ?? true, "\(paths)")
      }
      // Tokens last ten minutes; each is replaced once, in its last 150 s.
      #expect((5...9).contains(server.refreshes - begin), "\(server.refreshes - begin)")
      let outcome = await watching.end()
      #expect(outcome.errors.isEmpty, "\(outcome)")
    }
  }

  @Test("each short turn has its own notification, even if the event socket is renewed every 5 s")
  func short() {
    inWorld {
      $0.limits.accessTokenLifetime = .seconds(5)
      $0.limits.accessTokenGrace = .zero
      $0.limits.refreshesPerMinute = 100
      ($0.limits.loadedSessions, $0.limits.loadedSessionsPerWorkspace) = (100, 100)
    } _: { world, _ in
      let watching = try await Watching(in: world)
      for round in 1...60 {
        try await world.pass(.milliseconds(2000 + 137 * round % 3000))
        await world.oppi("ask", "-q", "-w", "demo", "hello", exits: 0)
      }
      try await world.pass(.seconds(30))
      #expect(watching.count(of: "Turn finished: studio/demo") == 60)
    }
  }

  @Test("a watch whose device was revoked asks nothing until it is paired again")
  func revoked() {
    inWorld { world, server in
      let watching = try await Watching("--json", in: world)
      try await world.pass(.seconds(60))
      server.revokeDevices()
      try await world.pass(.seconds(120))
      let count = server.requests.count
      try await world.pass(.seconds(3600))
      #expect(server.requests.count == count)
      let invite = try #require(server.inviteText())
      try #require(await world.oppi("pair", invite).status == 0)
      try await world.pass(.seconds(20))
      _ = await world.oppi("ask", "-q", "-w", "demo", "ask select")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
      let outcome = await watching.end()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.errors.ranges(of: "has revoked this device").count == 1, "\(outcome)")
    }
  }
}
