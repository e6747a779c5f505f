// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

@Suite struct SessionOrderTests {
  @Test("sessions are sorted by urgency, then by their latest activity, then by id")
  func order() {
    func session(_ id: String, _ phase: SessionPhase, at seconds: Int) -> SessionStatus {
      SessionStatus(id: id, phase: phase, lastActivity: Timestamp(seconds: seconds))
    }
    let sorted = [
      session("a", .waiting, at: 1), session("b", .failed, at: 2), session("c", .running, at: 4),
      session("e", .idle, at: 9), session("d", .idle, at: 9), session("f", .idle, at: 3),
      session("g", .done, at: 10),
    ]
    #expect(sorted.shuffled().sorted() == sorted)
  }
}
