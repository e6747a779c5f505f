// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel

/// A column of the matrix: something that goes wrong at a moment.
package struct MatrixFault: Sendable {
  /// Makes the world go wrong, and says what the server does at the step; at the start there is none.
  typealias Effect = @Sendable (Scene, Step?) -> Intervention

  /// What a fault must and may bring about.
  enum Weight: Sendable {
    /// The program must end as if nothing had been.
    case harmless
    case harmful
    /// What the server has taken may be lost with it.
    case fatal
  }

  package let name: String
  let places: Set<Moment.Place>
  let weight: Weight
  /// Whether the same may go wrong again at later moments of the same name.
  let canLast: Bool
  /// Whether the way to other servers suffers, too.
  let hitsAll: Bool
  let effect: Effect

  private init(
    _ name: String,
    at places: Set<Moment.Place>,
    _ weight: Weight,
    canLast: Bool,
    hitsAll: Bool = false,
    _ effect: @escaping Effect
  ) {
    self.name = name
    self.places = places
    self.weight = weight
    self.canLast = canLast
    self.hitsAll = hitsAll
    self.effect = effect
  }

  /// Makes a fault of the server, which may have it once or for good.
  static func server(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmful, canLast: true) { _, _ in intervention }
  }

  /// Makes a fault of the server that depends on the step.
  static func server(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: @escaping @Sendable (Step) -> Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmful, canLast: true) { _, step in
      step.map(intervention) ?? .proceed
    }
  }

  /// Makes something odd that is allowed to a server.
  static func harmless(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmless, canLast: true) { _, _ in intervention }
  }

  /// Makes a fault of the world around the server.
  static func world(
    _ name: String,
    at places: Set<Moment.Place>,
    _ weight: Weight = .harmful,
    hitsAll: Bool = false,
    _ effect: @escaping @Sendable (Scene) -> Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, weight, canLast: false, hitsAll: hitsAll) { scene, _ in
      effect(scene)
    }
  }

  package static let all = network + answers + upgrades + frames + messages + surroundings

  /// Text of a server that means harm to whoever shows it.
  static let evil = "\u{1B}]0;owned\u{07}\u{1B}[2J no\nsecond line\u{202E}"
}

extension Set<Moment.Place> {
  /// Wherever a server can do something.
  static let anywhere: Set = [.connection, .request, .upgrade, .opened, .message, .turn]
  /// Wherever a server can do something that was asked of it.
  static let asked: Set = [.request, .upgrade, .opened, .message]
  static let requests: Set = [.request, .upgrade]
  static let streams: Set = [.opened, .message]
  /// Wherever a server can say something over a WebSocket.
  static let spoken: Set = [.opened, .message, .turn]
}
