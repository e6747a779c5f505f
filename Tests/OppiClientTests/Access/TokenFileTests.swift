// SPDX-License-Identifier: MIT

import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

/// A token file that cannot be used: each command needs a token of its own, which servers limit.
@Suite(.needs("openssl")) struct TokenFileTests {
  @Test(
    "a token file that others could read is reported once, and is replaced",
    arguments: [0o644, 0o666]
  )
  func mode(mode: UInt32) {
    inWorld { world, server in
      let path = World.tokenFile
      world.disk.put(world.disk.text(at: path), at: path, mode: mode)
      let outcome = await world.oppi("sessions", exits: 0)
      let words = "\(path) has mode \(String(mode, radix: 8)), which gives other users access"
      #expect(outcome.errorLines.count { $0.contains(words) } == 1, "\(outcome)")
      #expect(outcome.errors.contains("it is replaced") && server.refreshes == 1, "\(outcome)")
      await world.oppi("sessions", exits: 0) { !$0.errors.contains("warning") }
      #expect(server.refreshes == 1, "the token is shared again")
    }
  }

  @Test("with a state folder that cannot be written, each command signs in once, and says it once")
  func unwritable() {
    inWorld { world, server in
      server.expireTokens()
      world.disk.breakDown()
      for _ in 1...2 {
        let outcome = await world.oppi("models", "-w", "demo", exits: 0)
        let lines = outcome.errorLines.filter { $0.contains(World.tokenFile) }
        // The disk fails for two causes.
        #expect((1...2).contains(lines.count), "\(outcome)")
        #expect(Set(lines).count == lines.count, "\(outcome)")
      }
      #expect(server.refreshes == 2)
      world.disk.set(Faults())
    }
  }

  @Test("a watch reports such a file once, however often it is used")
  func watch() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      let path = "\(World.home)/.cache/oppi/turns.json"
      world.disk.put("{", at: path)
      for _ in 1...3 {
        _ = try await world.session(asking: "fail")
        world.disk.put("{", at: path)
        try await world.pass(.seconds(20))
      }
      let outcome = await watching.end()
      #expect(outcome.errorLines.count { $0.contains(path) } == 1, "\(outcome)")
    }
  }
}
