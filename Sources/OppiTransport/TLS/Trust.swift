// SPDX-License-Identifier: MIT

package import OppiModel

/// How a server's certificate is judged.
package enum Trust: Sendable, Equatable {
  /// The leaf must be this very certificate; names, dates and issuers do not matter.
  case pinned(Fingerprint)
  /// The chain must lead to one of the system's authorities and the name must match.
  case authorities
}
