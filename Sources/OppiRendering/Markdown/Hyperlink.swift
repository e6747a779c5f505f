// SPDX-License-Identifier: MIT

import OppiModel

/// An address that a terminal may open: `http` or `https`, in ASCII that needs no escaping.
package struct Hyperlink: Sendable, Equatable {
  private static let limit = 2048

  package let address: String
  /// The host with its port, as it is shown.
  package let host: String

  /// Fails for any other address, and for one with a user name, which can look like a host.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.limit, text.utf8.allSatisfy(Self.isSafe) else { return nil }
    let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
    guard let scheme else { return nil }
    let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard host.utf8.first?.isASCIIAlphanumeric == true,
      host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || ".-:".utf8.contains($0) })
    else { return nil }
    (address, self.host) = (text, host.lowercased())
  }

  private static func isSafe(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
  }
}
