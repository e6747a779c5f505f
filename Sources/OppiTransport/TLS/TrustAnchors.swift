// SPDX-License-Identifier: MIT

import Glibc

/// The location of the system's CA certificates.
package struct TrustAnchors: Sendable, Equatable {
  /// A folder of certificates with hashed names; certificates are read on demand.
  package var directory: String?
  /// A file with all certificates; reading it takes tens of milliseconds.
  package var bundle: String?

  /// Uses `SSL_CERT_FILE` and `SSL_CERT_DIR` if set.
  ///
  /// Otherwise uses the system's hashed folder, else the first bundle found.
  package init(environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    directory = value("SSL_CERT_DIR")
    bundle = value("SSL_CERT_FILE")
    guard directory == nil, bundle == nil else { return }
    if Self.isHashed(Self.folder) {
      directory = Self.folder
    } else {
      bundle = Self.bundles.first { access($0, R_OK) == 0 }
    }
  }

  private static let folder = "/etc/ssl/certs"
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  private static func isHashed(_ folder: String) -> Bool {
    guard let entries = opendir(folder) else { return false }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".0") { return true }
    }
    return false
  }
}
