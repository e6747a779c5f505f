// SPDX-License-Identifier: MIT

import FakeServer

/// A column of the matrix: a fault that can occur at certain moments.
package struct MatrixFault: Sendable {
  /// Applies the fault and returns the server's intervention; the step is `nil` if the server has
  /// none.
  typealias Effect = @Sendable (Scene, Step?) -> Intervention

  /// The allowed effects of a fault.
  enum Weight: Sendable {
    /// The program must succeed.
    case harmless
    case harmful
    /// Anything that the server has accepted may be lost.
    case fatal
  }

  package let name: String
  let places: Set<Moment.Place>
  let weight: Weight
  /// Whether the fault may recur at later moments of the same name.
  let canLast: Bool
  /// Whether the fault affects other servers, too.
  let hitsAll: Bool
  /// Whether only servers with session sockets and device keys have the fault.
  private(set) var needsDeviceKeys = false
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

  /// Creates a fault of the server that may occur once or permanently.
  static func server(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmful, canLast: true) { _, _ in intervention }
  }

  /// Creates a fault of the server that depends on the step.
  static func server(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: @escaping @Sendable (Step) -> Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmful, canLast: true) { _, step in
      step.map(intervention) ?? .proceed
    }
  }

  /// Creates unusual but valid behaviour of the server.
  static func harmless(
    _ name: String,
    at places: Set<Moment.Place>,
    _ intervention: Intervention
  ) -> MatrixFault {
    MatrixFault(name, at: places, .harmless, canLast: true) { _, _ in intervention }
  }

  /// Creates a fault of the environment of the server.
  static func world(
    _ name: String,
    at places: Set<Moment.Place>,
    _ weight: Weight = .harmful,
    hitsAll: Bool = false,
    then intervention: Intervention = .proceed,
    _ effect: @escaping @Sendable (Scene) -> Void
  ) -> MatrixFault {
    MatrixFault(name, at: places, weight, canLast: false, hitsAll: hitsAll) { scene, _ in
      effect(scene)
      return intervention
    }
  }

  package static let all = [
    network, answers, upgrades, frames, messages, surroundings, access.map(\.ofDeviceKeys),
  ].flatMap(\.self)

  private var ofDeviceKeys: MatrixFault {
    var fault = self
    fault.needsDeviceKeys = true
    return fault
  }

  /// Malicious text of a server: terminal escapes, a line feed and a text direction override.
  static let evil = "\u{1B}]0;owned\u{07}\u{1B}[2J no\nsecond line\u{202E}"
}

extension Set<Moment.Place> {
  /// All moments except the start.
  static let anywhere = Set.answered.union([.connection, .upgrade, .opened, .message, .turn])
  /// The moments at which the server responds to the program.
  static let asked = Set.answered.union([.upgrade, .opened, .message])
  static let requests = Set.answered.union([.upgrade])
  /// The requests that are no upgrades.
  static let answered: Set = [.request, .launch, .access]
  static let streams: Set = [.opened, .message]
  /// The moments at which the server can send WebSocket frames.
  static let spoken: Set = [.opened, .message, .turn]
}
