// SPDX-License-Identifier: MIT

import FakeServer

extension MatrixFault {
  /// Faults of the environment of the server.
  static let surroundings: [MatrixFault] = [
    .world("away", at: [.start]) { $0.endServer(andReturnAfter: nil) },
    .world("unknown host", at: [.start]) { $0.forgetHost() },
    .world("slow names", at: [.start], hitsAll: true) { $0.set { $0.lookups = 1 } },
    .world("vanish", at: everywhere, .fatal, hitsAll: true) { $0.silenceNetwork(forGood: true) },
    .world("connections vanish", at: .anywhere) { $0.silenceNetwork(forGood: false) },
    .world("answers vanish", at: .anywhere) { $0.loseAnswers() },
    .world("crash", at: Set.anywhere.union([.handover]), .fatal, then: .hang) {
      $0.endServer(andReturnAfter: .seconds(2))
    },
    .world("perform and crash", at: .asked, .fatal, then: .performThenDrop) {
      $0.endServer(andReturnAfter: .seconds(2))
    },
    .world("gone", at: Set.anywhere.union([.handover]), .fatal, then: .hang) {
      $0.endServer(andReturnAfter: nil)
    },
    .world("disk full", at: everywhere) { $0.set { $0.disk = 1 } },
    .world("interrupt", at: .anywhere) { $0.interrupt() },
    .world("clock goes back", at: .anywhere, .harmless) { $0.jumpClock(by: .seconds(-7200)) },
    .world("clock goes ahead", at: .anywhere, .harmless) { $0.jumpClock(by: .seconds(7200)) },
  ]

  private static let everywhere = Set<Moment.Place>.anywhere.union([.start])
}
