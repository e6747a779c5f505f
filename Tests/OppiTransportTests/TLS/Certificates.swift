// SPDX-License-Identifier: MIT

import OppiModel
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
