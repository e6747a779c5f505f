// SPDX-License-Identifier: MIT

import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

@Suite("TrustAnchors", .needs("openssl"), .certificates)
struct TrustAnchorsTests {
  @Test(
    "the trust anchors of the environment are used",
    arguments: [
      (["SSL_CERT_FILE": "/a.pem"], nil, "/a.pem"), (["SSL_CERT_DIR": "/none"], "/none", nil),
      (["SSL_CERT_DIR": "/a:/b"], "/a:/b", nil),
      (["SSL_CERT_DIR": "/a", "SSL_CERT_FILE": "/a.pem"], "/a", "/a.pem"),
      (["SSL_CERT_DIR": "", "SSL_CERT_FILE": "/a.pem"], nil, "/a.pem"),
    ] as [([String: String], String?, String?)]
  )
  func environment(environment: [String: String], directory: String?, bundle: String?) {
    let anchors = TrustAnchors(environment: environment)
    #expect(anchors.directory == directory)
    #expect(anchors.bundle == bundle)
  }

  @Test("the default is the folder or the bundle of the system, never both")
  func system() {
    let anchors = TrustAnchors(environment: [:])
    #expect(anchors.directory == nil || anchors.bundle == nil)
    #expect(TrustAnchors(environment: ["SSL_CERT_DIR": "", "SSL_CERT_FILE": ""]) == anchors)
  }

  /// Sends a byte to a server with a trusted certificate, and returns what the server received.
  private func send(_ environment: [String: String]) throws -> Conversation<[UInt8], Void> {
    let identity = try Certificates.current.trusted
    return try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        try await accepted.open(tls: identity.context()).read()
      } client: { port in
        let stream = try await Network(loop: loop, environment: environment)
          .open(.local(port, scheme: .https), until: .farOff)
        try await stream.write("x")
      }
    }
  }

  @Test("a bundle file is accepted in place of a folder")
  func bundle() throws {
    let authorities = try Certificates.current.authorities
    let talk = try send(["SSL_CERT_FILE": "\(authorities)/known.pem"])
    #expect(try talk.server.get() == Array("x".utf8))
  }

  @Test(
    "with unreadable trust anchors, every certificate is rejected",
    arguments: [["SSL_CERT_FILE": "/none/such.pem"], ["SSL_CERT_DIR": "/none/such"]]
  )
  func unreadable(environment: [String: String]) throws {
    let talk = try send(environment)
    #expect {
      try talk.client.get()
    } throws: { error in
      if case TransportError.certificateRejected = error { true } else { false }
    }
  }

  @Test("a server needs a certificate and a matching key")
  func serverFiles() throws {
    let certificates = try Certificates.current
    for (certificate, key) in [
      ("/none", certificates.trusted.keyFile), (certificates.trusted.certificateFile, "/none"),
      (certificates.trusted.certificateFile, certificates.expired.keyFile),
    ] {
      #expect(throws: TransportError.tlsFailed(reason: "cannot use \(certificate)")) {
        try TLSContext(certificateFile: certificate, keyFile: key)
      }
    }
  }
}
