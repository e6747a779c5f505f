// SPDX-License-Identifier: MIT

import Glibc
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

@Suite("TLSSession", .needs("openssl"), .certificates)
struct TLSSessionTests {
  private let certificates: Certificates

  init() throws { certificates = try .current }

  /// Sends a request with a token over https, and returns what both ends received.
  private func talk(
    to identity: Certificates.Identity,
    as host: String = "127.0.0.1",
    pin: Fingerprint? = nil
  ) throws -> Conversation<[UInt8], [UInt8]> {
    let environment = ["SSL_CERT_DIR": certificates.authorities]
    return try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open(tls: identity.context())
        let bytes = try await stream.read()
        try await stream.write("answer")
        stream.shutDown()
        return bytes
      } client: { port in
        let network = Network(loop: loop, environment: environment)
        let server = try Network.Destination.local(port, scheme: .https, host: host, pin: pin)
        let stream = try await network.open(server, until: .farOff)
        try await stream.write("token")
        return try await stream.read(count: 100)
      }
    }
  }

  private func expectRefusal(
    _ talk: Conversation<[UInt8], [UInt8]>,
    _ check: (TransportError) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      try talk.client.get()
    } throws: { error in
      (error as? TransportError).map(check) ?? false
    }
    // The server has read no data, whether its handshake has ended or not.
    let bytes = try? talk.server.get()
    #expect(bytes == nil || bytes == [], sourceLocation: sourceLocation)
  }

  // MARK: Pins

  @Test("a pinned certificate is accepted with any name, date and issuer")
  func pinned() throws {
    for identity in [certificates.selfSigned, certificates.unknownIssuer, certificates.trusted] {
      let talk = try talk(to: identity, pin: identity.pin)
      #expect(try talk.server.get() == Array("token".utf8))
      #expect(try talk.client.get() == Array("answer".utf8))
    }
  }

  @Test(
    "a certificate other than the pinned one is rejected before any data is sent",
    arguments: ["127.0.0.1", "localhost"]
  )
  func wrongPin(host: String) throws {
    // A certificate of a trusted authority is rejected as well.
    for identity in [certificates.trusted, certificates.selfSigned] {
      let talk = try talk(to: identity, as: host, pin: certificates.otherName.pin)
      expectRefusal(talk) { $0 == .pinMismatch(found: identity.pin) }
    }
  }

  @Test(
    "a certificate is rejected if its pin differs in one bit",
    arguments: [(0, 1), (7, 0x80), (14, 4), (16, 1), (31, 0x80), (31, 1)] as [(Int, UInt8)]
  )
  func almostThePin(byte: Int, bit: UInt8) throws {
    let identity = certificates.selfSigned
    let text = identity.pin.text.dropFirst(Fingerprint.prefix.count)
    var digest = try #require(Base64.decode(text))
    digest[byte] ^= bit
    let talk = try talk(to: identity, pin: Fingerprint(digest: digest))
    expectRefusal(talk) { $0 == .pinMismatch(found: identity.pin) }
  }

  @Test("the pin of a certificate equals OpenSSL's fingerprint")
  func ownPin() throws {
    #expect(try certificates.trusted.context().certificatePin == certificates.trusted.pin)
  }

  // MARK: Authorities

  @Test(
    "a certificate of a known authority is valid for its names and addresses",
    arguments: [
      "localhost", "LOCALHOST", "127.0.0.1",
    ]
  )
  func verified(host: String) throws {
    let talk = try talk(to: certificates.trusted, as: host)
    #expect(try talk.server.get() == Array("token".utf8))
    #expect(try talk.client.get() == Array("answer".utf8))
  }

  @Test("any other certificate is rejected with a reason before any data is sent")
  func rejected() throws {
    for (identity, host, reason) in [
      (certificates.otherName, "localhost", "hostname mismatch"),
      (certificates.otherName, "127.0.0.1", "ip address mismatch"),
      (certificates.expired, "localhost", "certificate has expired"),
      (certificates.unknownIssuer, "localhost", "unable to get local issuer certificate"),
      // For any of its faults.
      (certificates.selfSigned, "localhost", ""),
    ] {
      let talk = try talk(to: identity, as: host)
      expectRefusal(talk) { error in
        guard case .certificateRejected(let found) = error else { return false }
        return found.hasPrefix(reason)
      }
    }
  }

  // MARK: Data

  @Test("megabytes are transferred in both directions over TLS")
  func large() throws {
    let identity = certificates.selfSigned
    var bytes = Array(0...250) as [UInt8]
    for _ in 0..<13 { bytes += bytes }
    try onLoop { [bytes] loop in
      let talk = try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open(tls: identity.context())
        let received = try await stream.read(count: bytes.count)
        try await stream.write(received)
        return received == bytes
      } client: { port in
        let stream = try await Network(loop: loop, environment: [:])
          .open(.local(port, scheme: .https, pin: identity.pin), until: .farOff)
        try await stream.write(bytes)
        return try await stream.read(count: bytes.count) == bytes
      }
      #expect(try talk.server.get())
      #expect(try talk.client.get())
    }
  }

  @Test("an end without a close notification is a truncation")
  func truncated() throws {
    let identity = certificates.selfSigned
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open(tls: identity.context())
      try await stream.write("half")
      _ = try await stream.read()
    } client: { port, loop in
      let stream = try await Network(loop: loop, environment: [:])
        .open(.local(port, scheme: .https, pin: identity.pin), until: .farOff)
      let half = try await stream.read()
      try await stream.write("x")
      await #expect(throws: TransportError.closed(.answer)) { try await stream.read() }
      await #expect(throws: TransportError.closed(.request)) {
        while true { try await stream.write("x") }
      }
      return half
    }
    #expect(try talk.client.get() == Array("half".utf8))
  }
}

@Suite struct LibSSLTests {
  @Test("a library that exists and cannot be opened is not reported as missing")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var usual = rlimit()
      try #require(getrlimit(files, &usual) == 0)
      var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
      try #require(setrlimit(files, &none) == 0)
      // A sanitizer needs files when the process exits.
      defer { setrlimit(files, &usual) }
      do throws(TransportError) {
        _ = try LibSSL()
        Issue.record("a library without a file")
      } catch .tlsFailed(let reason) {
        #expect(reason.contains(String(cString: strerror(EMFILE))))
      } catch {
        Issue.record(error)
      }
    }
  }
}
