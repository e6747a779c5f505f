// SPDX-License-Identifier: MIT

/// Where a server is reached, and by which certificate it is recognised there.
package struct ServerPlace: Sendable, Equatable {
  package var endpoint: Endpoint
  package var certificatePin: Fingerprint?
}

extension PairedServer {
  package var place: ServerPlace {
    ServerPlace(endpoint: endpoint, certificatePin: certificatePin)
  }
}

/// Whether an invite may pair a server.
package enum PairingDecision: Sendable, Equatable {
  case allowed
  /// The server is paired at another place, and nothing proves that the new one is its own.
  case asked
  /// The server has proved its key, and the invite is not signed by it.
  case refused
}

extension Invite {
  package var place: ServerPlace {
    ServerPlace(endpoint: endpoint, certificatePin: certificatePin)
  }

  /// Whether the invite may pair the server that it claims to be.
  ///
  /// A fingerprint is public, so that any server can claim it; only a signature proves it.
  ///
  /// - Parameters:
  ///   - known: The paired server with this identity; `nil` if it is not paired.
  ///   - hasKey: Whether that server issues tokens to a device key. Such servers sign their invites,
  ///     so that one that was paired by an earlier version of this program counts as proven.
  /// - Returns: The decision; the invite's signature has been verified.
  package func decision(
    replacing known: PairedServer?,
    hasKey: Bool
  ) -> PairingDecision {
    guard let known else { return .allowed }
    guard known.isProven ?? hasKey else { return known.place == place ? .allowed : .asked }
    return seal?.signer == known.id ? .allowed : .refused
  }
}
