// SPDX-License-Identifier: MIT

/// A secret that grants access to a server.
package enum BearerToken {
  /// Whether the text is valid in an `Authorization` header: 1 to 4096 visible ASCII characters.
  package static func isValid(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
