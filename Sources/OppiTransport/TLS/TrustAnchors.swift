// SPDX-License-Identifier: MIT

import Glibc

/// Where the certificates of the system's authorities are.
package struct TrustAnchors: Sendable, Equatable {
  /// A folder of certificates under their hashed names, which costs nothing until one is needed.
  package var directory: String?
  /// A bundle in one file; reading it takes tens of milliseconds.
  package var bundle: String?

  /// The environment's choice (`SSL_CERT_FILE`, `SSL_CERT_DIR`), else the hashed folder where the
  /// system has one, else the first bundle there is.
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
