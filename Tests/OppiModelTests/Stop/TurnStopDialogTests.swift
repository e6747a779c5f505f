// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

/// Pending dialogs while a turn is stopped.
@Suite struct TurnStopDialogTests {
  private static func dialog(_ id: String) -> UserQuestion {
    UserQuestion(id: id, method: "select", body: ["title": "Go on?", "options": ["Yes"]])
  }

  private static func stop(_ requests: Dialect.Requests) throws -> TurnStop {
    var stop = try #require(TurnStop(.busy, events: nil, requests: requests))
    _ = stop.opens(.busy, at: .zero)
    stop.left(stopID: "s")
    return stop
  }

  @Test("each pending dialog is cancelled once, listed or announced")
  func cancels() throws {
    var stop = try Self.stop(.dialogs)
    let (first, second) = (Self.dialog("a"), Self.dialog("b"))
    #expect(stop.lists([first, first]) == [.cancel(first)])
    #expect(stop.hears(.question(first), at: .zero).isEmpty)
    #expect(stop.hears(.question(second), at: .zero) == [.cancel(second)])
  }

  @Test("questions of servers with a gate end with their turn, and are not cancelled")
  func gate() throws {
    var stop = try Self.stop(.permissions)
    #expect(stop.hears(.question(Self.dialog("a")), at: .zero).isEmpty)
  }

  @Test("no dialog is cancelled before the stop was sent")
  func order() throws {
    var stop = try #require(TurnStop(.busy, events: nil, requests: .dialogs))
    #expect(stop.hears(.question(Self.dialog("a")), at: .zero).isEmpty)
    #expect(stop.opens(.busy, at: .zero) == [.send(.getQueue), .send(.stop), .list])
  }
}
