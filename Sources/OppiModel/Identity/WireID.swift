// SPDX-License-Identifier: MIT

/// The ids that the server gives to workspaces, sessions and permission requests.
package enum WireID {
  /// Whether the text may stand in a request path as it is: 1 to 64 characters of base64url, which
  /// may begin with `-` or `_`.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIDByte)
  }

  private static func isIDByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
