// SPDX-License-Identifier: MIT

/// The server's ids of workspaces, sessions and permission requests.
package enum WireID {
  /// Whether it is valid in a request path: 1 to 64 characters of base64url, even `-` first.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIDByte)
  }

  private static func isIDByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-_".utf8.contains(byte)
  }
}
