// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiPrompts
@testable import OppiTestSupport

/// The requests to run servers' schedules whose answers are not known.
@Suite struct RunRequestTests {
  @Test("a request without an answer is repeated for its schedule on its server only")
  func places() {
    inFlowWorld([]) { home in
      func request(
        _ schedule: String,
        on server: Int,
        isKnown: Bool = false
      ) async throws -> (id: String, isRepeat: Bool) {
        try await home.context.withRunRequest(of: schedule, on: .sample(server)) { id, isRepeat in
          (.success((id, isRepeat)), isKnown: isKnown)
        } ifHeld: {
          throw CancellationError()
        }
      }
      let first = try await request("sch_1", on: 1)
      let other = try await request("sch_2", on: 1)
      let elsewhere = try await request("sch_1", on: 2)
      #expect([first, other, elsewhere].map(\.isRepeat) == [false, false, false])
      #expect(Set([first, other, elsewhere].map(\.id)).count == 3)
      let again = try await request("sch_1", on: 1, isKnown: true)
      #expect(again.isRepeat && again.id == first.id)
      let next = try await request("sch_1", on: 1, isKnown: true)
      #expect(!next.isRepeat && next.id != first.id)
    }
  }
}
