// SPDX-License-Identifier: MIT

extension Dialect.Updates {
  /// Whether a request tells cheaply if anything has happened in any session.
  package var hasCounter: Bool { self == .counter }
}
