// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import LoopbackServer

@Suite("A turn over the multiplexed stream")
struct DefaultTurnTests {
  @Test("the default turn has the recorded events in the recorded order")
  func defaultTurn() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello there", in: id)
      let events = try await stream.readRun()
      print(events.map { $0.text() }.joined(separator: "\n"))
    }
  }
}
