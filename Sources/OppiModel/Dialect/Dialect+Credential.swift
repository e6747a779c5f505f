// SPDX-License-Identifier: MIT

extension Dialect.Credential {
  /// Whether the server lists the devices that are paired with it, and can revoke each.
  package var hasDevices: Bool { self == .deviceKey }
}
