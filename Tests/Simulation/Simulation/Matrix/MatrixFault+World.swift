// SPDX-License-Identifier: MIT

import FakeServer

extension MatrixFault {
  /// Faults of the environment of the server.
  static let surroundings: [MatrixFault] = [
    .world("away", at: [.start]) { scene in
      scene.endServer(andReturnAfter: nil)
      return .proceed
    },
    .world("unknown host", at: [.start]) { scene in
      scene.forgetHost()
      return .proceed
    },
    .world("slow names", at: [.start], hitsAll: true) { scene in
      scene.set { $0.lookups = 1 }
      return .proceed
    },
    .world("vanish", at: everywhere, .fatal, hitsAll: true) { scene in
      scene.silenceNetwork(forGood: true)
      return .proceed
    },
    .world("connections vanish", at: .anywhere) { scene in
      scene.silenceNetwork(forGood: false)
      return .proceed
    },
    .world("answers vanish", at: .anywhere) { scene in
      scene.loseAnswers()
      return .proceed
    },
    .world("crash", at: Set.anywhere.union([.handover]), .fatal) { scene in
      scene.endServer(andReturnAfter: .seconds(2))
      return .hang
    },
    .world("perform and crash", at: .asked, .fatal) { scene in
      scene.endServer(andReturnAfter: .seconds(2))
      return .performThenDrop
    },
    .world("gone", at: Set.anywhere.union([.handover]), .fatal) { scene in
      scene.endServer(andReturnAfter: nil)
      return .hang
    },
    .world("disk full", at: everywhere) { scene in
      scene.set { $0.disk = 1 }
      return .proceed
    },
    .world("interrupt", at: .anywhere) { scene in
      scene.interrupt()
      return .proceed
    },
    .world("clock goes back", at: .anywhere, .harmless) { scene in
      scene.jumpClock(by: .seconds(-7200))
      return .proceed
    },
    .world("clock goes ahead", at: .anywhere, .harmless) { scene in
      scene.jumpClock(by: .seconds(7200))
      return .proceed
    },
  ]

  private static let everywhere = Set<Moment.Place>.anywhere.union([.start])
}
