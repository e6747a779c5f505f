// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import Simulation
import TestSupport
import Testing

/// The access token that `oppi watch` shares with all other commands.
@Suite("Access during a watch", .needs("openssl"))
struct WatchAccessTests {
  @Test("no command requests a token while a watch runs", arguments: ["30s", nil])
  func fresh(poll: String?) {
    inWorld(.deviceKeys) { world, server in
      let watching =
        if let poll { try await Watching("--poll", poll, in: world) } else {
          try await Watching(in: world)
        }
      try await world.pass(.seconds(10))
      let begin = server.refreshes
      for _ in 0..<120 {
        try await world.pass(.seconds(29))
        let known = server.requests.count
        let outcome = await world.oppi("sessions")
        #expect(outcome.status == 0, "\(outcome)")
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
}
