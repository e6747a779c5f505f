// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// Answers that are larger than the program reads.
@Suite struct LongListTests {
  @Test("an error names the list that is too large, and the limit")
  func sessions() {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      let body = Array(repeating: UInt8(ascii: " "), count: AnswerLimit.list.rawValue + 1)
      trouble.at("/sessions", .answer(HTTPResponse(status: 200, body: body)))
      let outcome = await world.oppi("sessions", exits: 76)
      let words = "the answer of studio to GET /sessions is larger than 16 MiB"
      #expect(outcome.errors.contains(words), "\(outcome)")
      #expect(!outcome.errors.contains("Oppi server"), "\(outcome)")
    }
  }
}
