// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

/// Commands on a machine whose access the server has ended.
@Suite("A revoked device", .needs("openssl"))
struct RevokedDeviceTests {
  private static let refusal = "studio has revoked this device"

  @Test(
    "ends each command with one message and status 77",
    arguments: [
      "ask -w demo hello", "ask --wait -w demo hello", "ask -s SESSION hello", "models -w demo",
      "sessions", "show SESSION", "search hello", "follow SESSION", "follow", "stop SESSION",
      "stop --session SESSION", "stop --idle --yes", "approvals", "approvals show REQUEST",
      "approve REQUEST", "deny REQUEST", "answer SESSION 1 1", "servers test",
      "servers devices", "servers revoke --yes dev_x", "schedule list --all",
      "schedule run studio/nightly", "doctor",
    ]
  )
  func commands(line: String) {
    inWorld { world, server in
      let id = try await world.session(asking: "question")
      server.revokeDevices()
      let words = line.wordsOfRow.map { $0 == "SESSION" ? id : $0 }
      let outcome = await world.oppi(words, exits: 77)
      let texts = [outcome.output, outcome.errors]
      let counts = texts.map { $0.ranges(of: Self.refusal).count }
      #expect(counts.max() == 1, "\(outcome)")
      #expect(server.heard == ["question"])
    }
  }

  @Test("is reported once by a command that continues for other servers")
  func service() {
    inWorld { world, server in
      _ = try await world.session(asking: "question")
      let program = world.program()
      let watching = Task(executorPreference: world.loop) {
        await program.run(["approvals", "--watch"])
      }
      try await world.pass(.seconds(60))
      server.revokeDevices()
      try await world.pass(.seconds(600))
      program.interrupt()
      let outcome = await watching.value
      #expect(outcome.errors.ranges(of: Self.refusal).count == 1, "\(outcome)")
      #expect(!outcome.errors.contains("too many"), "\(outcome)")
    }
  }
}
