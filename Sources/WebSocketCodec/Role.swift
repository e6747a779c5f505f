// SPDX-License-Identifier: MIT

/// The side of the connection a codec speaks for.
///
/// It decides who masks: every frame of a client is masked and none of a server's is (RFC 6455
/// section 5.1).
public enum Role: Hashable, Sendable {
  /// The side that asked for the upgrade.
  case client
  /// The side that granted it.
  case server

  /// The other side.
  public var opposite: Role {
    switch self {
    case .client: .server
    case .server: .client
    }
  }
}
