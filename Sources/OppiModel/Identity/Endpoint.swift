// SPDX-License-Identifier: MIT

package struct Endpoint: Sendable, Hashable {
  package enum Scheme: String, Sendable, CaseIterable {
    case http
    case https
  }

  package let scheme: Scheme
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  package let host: String
  /// From 1 to 65535.
  package let port: Int

  /// Fails for a port out of range and for a host that is invalid in a `Host` header.
  package init?(scheme: Scheme, host: String, port: Int) {
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard (1...65535).contains(port), (1...253).contains(bare.utf8.count),
      bare.utf8.allSatisfy(Self.isHostByte)
    else { return nil }
    self.scheme = scheme
    self.host = bare
    self.port = port
  }

  /// The value of the `Host` header, with brackets around an IPv6 address.
  package var authority: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._:%".utf8.contains(byte)
  }
}

extension Endpoint: CustomStringConvertible {
  package var description: String { "\(scheme.rawValue)://\(authority)" }
}
