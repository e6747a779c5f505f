// SPDX-License-Identifier: MIT

package import OppiModel

package enum Trust: Sendable, Equatable {
  /// The leaf certificate must match; names, dates and issuers are ignored.
  case pinned(Fingerprint)
  /// The chain must lead to one of the system's authorities, and the name must match.
  case authorities
}
