// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite struct PairedServerTests {
  private func sample() throws -> PairedServer {
    PairedServer(
      id: try #require(Fingerprint(sampleFingerprint)),
      name: "studio",
      endpoint: try #require(Endpoint(scheme: .https, host: "10.0.0.2", port: 7749)),
      certificatePin: Fingerprint(digest: [UInt8](repeating: 7, count: 32)),
      addedAt: 1_795_220_685,
      tokenCommand: ["pass", "show", "oppi"],
      proxy: "socks5://localhost"
    )
  }

  @Test("an entry has the members of the app's record and no token")
  func members() throws {
    let members = try #require(try sample().json.object)
    #expect(
      members.map(\.key).sorted() == [
        "addedAt", "fingerprint", "host", "id", "name", "port", "proxy", "scheme",
        "tlsCertFingerprint", "tokenCommand",
      ]
    )
  }

  @Test("an entry with an invalid or truncated pin is rejected")
  func wholePin() throws {
    var members = try #require(try sample().json.object)
    let text = try #require(members["tlsCertFingerprint"]?.string)
    #expect(text.utf8.count == 50 && members["id"]?.string == sampleFingerprint)
    for pin in [0, 20, 27, 49].map({ String(text.prefix($0)) }) + ["sha256:nonsense"] {
      members["tlsCertFingerprint"] = .string(pin)
      #expect(PairedServer(json: .object(members)) == nil, "\(pin)")
    }
    members["tlsCertFingerprint"] = .string(text)
    #expect(PairedServer(json: .object(members)) != nil)
    members["scheme"] = "http"
    #expect(PairedServer(json: .object(members)) == nil, "a pin requires https")
  }
}

@Suite struct EndpointTests {
  @Test(
    "the authority has the form of a Host header",
    arguments: [
      ("studio.local", "studio.local:7749"), ("::1", "[::1]:7749"), ("[fe80::1]", "[fe80::1]:7749"),
    ]
  )
  func authority(host: String, authority: String) {
    #expect(Endpoint(scheme: .http, host: host, port: 7749)?.authority == authority)
  }

  @Test(
    "hosts and ports that are invalid in a request are rejected",
    arguments: [
      ("", 1), ("a b", 1), ("a/b", 1), ("a\r\nX: y", 1), ("a@b", 1), ("h", 0), ("h", 65_536),
    ]
  )
  func refuses(host: String, port: Int) {
    #expect(Endpoint(scheme: .http, host: host, port: port) == nil)
  }
}
