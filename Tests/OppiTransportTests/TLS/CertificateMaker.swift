// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import TestSupport

/// Creates certificates with `openssl` in a temporary folder.
struct CertificateMaker {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let folder = scratch.folder
    let configuration = """
      [ca]
      default_ca = default
      [default]
      database = \(folder)/index
      new_certs_dir = \(folder)
      default_md = sha256
      policy = policy
      x509_extensions = leaf
      copy_extensions = copy
      unique_subject = no
      rand_serial = yes
      [policy]
      commonName = supplied
      [leaf]
      basicConstraints = CA:FALSE
      """
    try scratch.write(configuration, to: "configuration")
    try scratch.write("", to: "index")
  }

  private func path(_ name: String) -> String { scratch.path(name) }

  func makeAuthority(_ name: String) throws {
    try OpenSSL.run(
      ["req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-out", path("\(name).pem")]
        + newKey(name)
    )
  }

  /// Creates a certificate that is valid from 2020, signed by an authority or self-signed.
  func makeIdentity(
    _ name: String,
    names: String,
    issuer: String?,
    end: String = "20490101"
  ) throws -> Certificates.Identity {
    try OpenSSL.run(
      ["req", "-new", "-subj", "/CN=oppi", "-addext", "subjectAltName=\(names)"]
        + ["-out", path("\(name).csr")] + newKey(name)
    )
    let signer =
      issuer.map { ["-cert", path("\($0).pem"), "-keyfile", path("\($0).key")] }
      ?? ["-selfsign", "-keyfile", path("\(name).key")]
    try OpenSSL.run(
      ["ca", "-batch", "-notext", "-config", path("configuration")] + signer
        + ["-startdate", "20200101000000Z", "-enddate", "\(end)000000Z"]
        + ["-in", path("\(name).csr"), "-out", path("\(name).pem")]
    )
    return Certificates.Identity(
      certificateFile: path("\(name).pem"),
      keyFile: path("\(name).key"),
      pin: try pin(of: name)
    )
  }

  /// Copies an authority into a folder where OpenSSL finds it by the hash of its name.
  func makeHashedFolder(of authority: String) throws -> String {
    let hashed = path("authorities")
    try FileManager.default.createDirectory(atPath: hashed, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: path("\(authority).pem"),
      toPath: "\(hashed)/\(authority).pem"
    )
    try OpenSSL.run(["rehash", hashed])
    return hashed
  }

  private func newKey(_ name: String) -> [String] { OpenSSL.newKey(path("\(name).key")) }

  /// The hash of a certificate, from OpenSSL's output `sha256 Fingerprint=01:23:…`.
  private func pin(of name: String) throws -> Fingerprint {
    let text = try OpenSSL.run(
      ["x509", "-in", path("\(name).pem"), "-noout", "-fingerprint", "-sha256"]
    )
    let hexadecimal = text.drop { $0 != "=" }.dropFirst().split { !$0.isHexDigit }
    return Fingerprint(digest: hexadecimal.compactMap { UInt8($0, radix: 16) })
  }
}
