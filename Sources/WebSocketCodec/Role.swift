// SPDX-License-Identifier: MIT

/// The endpoint that a codec implements.
///
/// It determines the masking: all frames of a client are masked, and none of a server (RFC 6455
/// section 5.1).
public enum Role: Hashable, Sendable {
  /// The endpoint that requested the upgrade.
  case client
  /// The endpoint that accepted the upgrade.
  case server

  /// The peer's role.
  public var opposite: Role {
    switch self {
    case .client: .server
    case .server: .client
    }
  }
}
