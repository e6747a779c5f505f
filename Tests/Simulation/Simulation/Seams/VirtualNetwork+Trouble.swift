// SPDX-License-Identifier: MIT

import Synchronization

// Faults of all connections to an address at once.
extension VirtualNetwork {
  /// The programs' ends of the connections to an address, with their peers.
  private func connections(to address: String) -> [(near: Int32, far: Int32?)] {
    state.withLock { state in
      state.sockets.filter { $0.value.destination?.address == address }
        .map { (near: $0.key, far: $0.value.peer) }.sorted { $0.near < $1.near }
    }
  }

  /// Silences all connections to an address, as if its machine lost power.
  package func dropConnections(at address: String) {
    for (near, _) in connections(to: address) { silence(near) }
  }

  /// Drops everything that an address sends over its current connections.
  func loseAnswers(from address: String) {
    let ends = connections(to: address).compactMap(\.far)
    state.withLock { state in
      for end in ends { state.sockets[end]?.isSilent = true }
    }
  }

  /// Breaks all connections to an address at both ends.
  package func cutConnections(to address: String) {
    for end in connections(to: address).compactMap(\.far) { cut(end) }
  }

  /// Delivers bytes as if an address had sent them.
  func inject(_ bytes: [UInt8], from address: String) {
    for end in connections(to: address).compactMap(\.far) { deliver(bytes, from: end) }
  }
}
