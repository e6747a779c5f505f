// SPDX-License-Identifier: MIT

extension Dialect.Creation {
  /// The key by which the server recognises a repeated request; `nil` if it does not.
  package func key(for id: String) -> String? {
    switch self {
    case .plain: nil
    case .idempotent: id
    }
  }
}
