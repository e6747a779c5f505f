// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// Answers that are larger than the program reads.
@Suite struct LongListTests {
  private static let large = Intervention.answer(
    HTTPResponse(
      status: 200,
      body: Array(repeating: UInt8(ascii: " "), count: AnswerLimit.list.rawValue + 1)
    )
  )

  @Test(
    "an error names the list that is too large, and the limit",
    arguments: [(Dialect.deviceKeys, "/sessions/recent"), (.multiplexed, "/sessions")]
  )
  func sessions(dialect: Dialect, path: String) {
    inTroubledWorld(dialect) { world, _, trouble in
      trouble.at(path, Self.large)
      let outcome = await world.oppi("sessions", exits: 76)
      let words = "the answer of studio to GET \(path) is larger than 16 MiB"
      #expect(outcome.errors.contains(words), "\(outcome)")
      #expect(outcome.errors.contains("end idle sessions"), "\(outcome)")
      #expect(!outcome.errors.contains("Oppi server"), "\(outcome)")
    }
  }

  @Test("fewer sessions are the remedy for no other answer that is too large")
  func created() {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      await world.oppi("workspaces", exits: 0)
      trouble.at("/sessions", Self.large)
      let outcome = await world.oppi("ask", "-w", "studio/demo", "hello", exits: 76)
      #expect(outcome.errors.contains(" to POST /workspaces/"), "\(outcome)")
      #expect(!outcome.errors.contains("idle sessions"), "\(outcome)")
      #expect(outcome.errors.contains("oppi servers test"), "\(outcome)")
    }
  }
}
