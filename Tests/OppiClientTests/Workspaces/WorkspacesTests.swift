// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi workspaces` with lists of some age.
@Suite struct WorkspacesTests {
  @Test("--offline names each server without a list, and no other")
  func offline() {
    inWorld { world, _ in
      await world.oppi("workspaces", exits: 0)
      _ = try await world.addServer(named: "office")
      await world.oppi("workspaces", "--offline", exits: 0, saying: "no cached list for office") {
        $0.lines.count == 2 && !$0.errors.contains("studio")
      }
    }
  }

  @Test("--max-age takes a list that is younger, and asks for an older one")
  func maxAge() {
    inWorld { world, server in
      await world.oppi("workspaces", exits: 0)
      try await world.pass(.seconds(60))
      for (age, count) in [("2m", 1), ("30s", 2)] {
        await world.oppi("workspaces", "--max-age", age, exits: 0) { $0.lines.count == 2 }
        #expect(server.requests.count { $0.path == "/workspaces" } == count)
      }
    }
  }

  @Test("without --max-age a list of the same moment is asked for again")
  func again() {
    inWorld { world, server in
      for count in 1...2 {
        await world.oppi("workspaces", exits: 0)
        #expect(server.requests.count { $0.path == "/workspaces" } == count)
      }
    }
  }

  @Test("--match takes the case of neither the text nor the names into account")
  func match() {
    inWorld { world, _ in
      await world.oppi("workspaces", "--match", "WEB", exits: 0) {
        $0.lines.count == 1 && $0.output.contains("\twebapp\t")
      }
    }
  }
}
