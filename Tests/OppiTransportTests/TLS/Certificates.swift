// SPDX-License-Identifier: MIT

import Foundation
import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

/// The certificates of a suite, in a folder that is removed with the last copy.
struct Certificates: Sendable {
  /// A certificate and its key as PEM files.
  struct Identity: Sendable {
    let certificateFile: String
    let keyFile: String
    let pin: Fingerprint

    func context() throws -> TLSContext {
      try TLSContext(certificateFile: certificateFile, keyFile: keyFile)
    }
  }

  /// Signed for `localhost` and `127.0.0.1` by the authority of ``authorities``.
  let trusted: Identity
  /// Signed by the same authority for another name and another address.
  let otherName: Identity
  /// Signed by the same authority for the right name, but expired in 2020.
  let expired: Identity
  /// Signed for the right name by an unknown authority.
  let unknownIssuer: Identity
  /// Self-signed, for another name and expired in 2020, so valid only as a pin.
  let selfSigned: Identity
  /// A folder with the known authority under its hashed name.
  let authorities: String
  private let maker: CertificateMaker

  /// The certificates of the running suite.
  static var current: Certificates {
    get throws { try #require(CertificatesTrait.certificates) }
  }

  init() throws {
    maker = try CertificateMaker()
    let here = "DNS:localhost,IP:127.0.0.1"
    let elsewhere = "DNS:elsewhere.example,IP:192.0.2.7"
    try maker.makeAuthority("known")
    try maker.makeAuthority("unknown")
    trusted = try maker.makeIdentity("trusted", names: here, issuer: "known")
    otherName = try maker.makeIdentity("other", names: elsewhere, issuer: "known")
    expired = try maker.makeIdentity("expired", names: here, issuer: "known", end: "20200102")
    unknownIssuer = try maker.makeIdentity("stranger", names: here, issuer: "unknown")
    selfSigned = try maker.makeIdentity("self", names: elsewhere, issuer: nil, end: "20200102")
    authorities = try maker.makeHashedFolder(of: "known")
  }
}

/// Creates certificates for a suite, which are removed at its end.
struct CertificatesTrait: SuiteTrait, TestScoping {
  @TaskLocal fileprivate static var certificates: Certificates?

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.$certificates.withValue(try Certificates()) { try await function() }
  }
}

extension Trait where Self == CertificatesTrait {
  static var certificates: Self { CertificatesTrait() }
}

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

/// `openssl s_server` on a free port; stops with the value.
final class OpenSSLServer {
  let port: Int
  private let process = Process()

  init(_ identity: Certificates.Identity, options: [String]) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["openssl", "s_server", "-accept", "127.0.0.1:0"]
      + ["-cert", identity.certificateFile, "-key", identity.keyFile] + options
    // The settings of the system may forbid old versions.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["OPENSSL_CONF": "/dev/null"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.runInTime()
    // Prints `ACCEPT 127.0.0.1:PORT` when it listens.
    var text = ""
    while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "openssl s_server did not start")
      text += String(decoding: data, as: UTF8.self)
    }
    port = try #require(text.split { !$0.isNumber }.last.flatMap { Int($0) })
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
