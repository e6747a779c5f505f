// SPDX-License-Identifier: MIT

import Foundation
import OppiModel

/// Makes certificates by the `openssl` program.
struct CertificateMaker {
  struct Failure: Error {
    let command: String
    let errors: String
  }

  let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/oppi-tls-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
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
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: path("configuration")))
    try Data().write(to: URL(fileURLWithPath: path("index")))
  }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  func makeAuthority(_ name: String) throws {
    try run(
      ["req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-out", path("\(name).pem")]
        + newKey(name)
    )
  }

  /// Makes a certificate that is valid from 2020 on, signed by an authority or by itself.
  func makeIdentity(
    _ name: String,
    names: String,
    issuer: String?,
    end: String = "20490101"
  ) throws -> Certificates.Identity {
    try run(
      ["req", "-new", "-subj", "/CN=oppi", "-addext", "subjectAltName=\(names)"]
        + ["-out", path("\(name).csr")] + newKey(name)
    )
    let signer =
      issuer.map { ["-cert", path("\($0).pem"), "-keyfile", path("\($0).key")] }
      ?? ["-selfsign", "-keyfile", path("\(name).key")]
    try run(
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

  /// Puts an authority into a folder where OpenSSL finds it by the hash of its name.
  func makeHashedFolder(of authority: String) throws -> String {
    let hashed = path("authorities")
    try FileManager.default.createDirectory(atPath: hashed, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: path("\(authority).pem"),
      toPath: "\(hashed)/\(authority).pem"
    )
    try run(["rehash", hashed])
    return hashed
  }

  private func newKey(_ name: String) -> [String] {
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
      + ["-keyout", path("\(name).key")]
  }

  /// The hash of a certificate as OpenSSL prints it, `sha256 Fingerprint=01:23:…`.
  private func pin(of name: String) throws -> Fingerprint {
    let text = try run(["x509", "-in", path("\(name).pem"), "-noout", "-fingerprint", "-sha256"])
    let hexadecimal = text.drop { $0 != "=" }.dropFirst().split { !$0.isHexDigit }
    return Fingerprint(digest: hexadecimal.compactMap { UInt8($0, radix: 16) })
  }

  @discardableResult
  private func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        command: arguments.joined(separator: " "),
        errors: String(decoding: complaints, as: UTF8.self)
      )
    }
    return String(decoding: text, as: UTF8.self)
  }
}
