// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import Oppi

@Suite struct SnapshotSizeTests {
  @Test("a snapshot of a server with too many sessions has the most urgent and the latest")
  func urgent() throws {
    let idle = (0..<1200).map { SessionStatus.sample("i\($0)", .idle, lastActivity: .ago($0)) }
    let ended = (0..<40).map { SessionStatus.sample("e\($0)", .done, lastActivity: .ago($0)) }
    let waiting = SessionStatus.sample("w", .waiting, lastActivity: .ago(100_000))
    let stored = Self.stored(ended + idle.reversed() + [waiting])
    let ids = stored.filter { $0.phase != .done }.map(\.id)
    #expect(ids == ["w"] + (0..<999).map { "i\($0)" })
    #expect(stored.filter { $0.phase == .done }.map(\.id) == (0..<30).map { "e\($0)" })
  }

  @Test("a snapshot keeps the order of a thousand sessions that have not ended")
  func order() {
    let sessions = (0..<1000).map { SessionStatus.sample("i\($0)", $0 == 5 ? .waiting : .idle) }
    #expect(Self.stored(sessions).map(\.id) == sessions.map(\.id))
  }

  private static func stored(_ sessions: [SessionStatus]) -> [SessionStatus] {
    ServerStatus.sample(sessions).forSnapshot.sessions
  }
}
