// SPDX-License-Identifier: MIT

import TestSupport
import WebSocketCodec

/// Events, answers and errors of a connection do not depend on how its bytes are cut.
func fuzzWebSocket(_ bytes: [UInt8]) {
  let limits = WebSocketLimits(maxFrame: 200, maxMessage: 300)
  for role in [Role.client, .server] {
    expectSame(howeverCut: bytes) { pieces in
      var hearing = Hearing(WebSocketConnection(role: role, limits: limits))
      for piece in pieces { hearing.take(piece) }
      return hearing.result
    }
  }
}

private struct Hearing {
  struct Result: Equatable {
    var events: [WebSocketConnection.Event] = []
    var answers: [UInt8] = []
    var state = WebSocketConnection.State.open
  }

  private(set) var result = Result()
  private var connection: WebSocketConnection
  private var generator = SeededGenerator(seed: 1)

  init(_ connection: WebSocketConnection) { self.connection = connection }

  mutating func take(_ piece: ArraySlice<UInt8>) {
    connection.receive(piece)
    while let event = try? connection.next(using: &generator) {
      result.events.append(event)
      // Taken at once, because a burst of pings gets only a limited number of queued pongs.
      result.answers += connection.takeOutbound()
    }
    result.answers += connection.takeOutbound()
    result.state = connection.state
  }
}
