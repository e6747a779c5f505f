// SPDX-License-Identifier: MIT

import OppiModel
import Testing

let sampleFingerprint = "sha256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q"

@Suite struct FingerprintTests {
  @Test("the written form is taken as it is")
  func accepts() {
    #expect(Fingerprint(sampleFingerprint)?.text == sampleFingerprint)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "sha256:", "sha256:short", "SHA256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q",
      sampleFingerprint + "=", sampleFingerprint + "A",
      "sha1:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X",
    ]
  )
  func refuses(text: String) {
    #expect(Fingerprint(text) == nil)
  }

  @Test("a digest has one spelling")
  func digest() {
    let fingerprint = Fingerprint(digest: [UInt8](repeating: 0xFF, count: 32))
    #expect(fingerprint.text == "sha256:__________________________________________8")
    // The two spare bits of the last character do not make another fingerprint.
    #expect(Fingerprint("sha256:__________________________________________9") == fingerprint)
  }
}

@Suite struct WorkspaceReferenceTests {
  @Test(
    "a composite id is split at the bar and joined again",
    arguments: ["iaOoCYKG", "-CzT5M5I", "_PuA2eDo"]
  )
  func roundTrip(id: String) throws {
    let text = "\(sampleFingerprint)|\(id)"
    let reference = try #require(WorkspaceReference(text))
    #expect(reference.serverID.text == sampleFingerprint)
    #expect(reference.workspaceID == id)
    #expect(reference.description == text)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "|", "\(sampleFingerprint)|", "|iaOoCYKG", "\(sampleFingerprint)|a|b",
      "\(sampleFingerprint):a",
      "\(sampleFingerprint)|a/b", "\(sampleFingerprint)|a b", "server|iaOoCYKG",
    ]
  )
  func refuses(text: String) {
    #expect(WorkspaceReference(text) == nil)
  }
}

@Suite struct EndpointTests {
  @Test(
    "the authority is what a Host header needs",
    arguments: [
      ("studio.local", "studio.local:7749"), ("::1", "[::1]:7749"), ("[fe80::1]", "[fe80::1]:7749"),
    ]
  )
  func authority(host: String, authority: String) {
    #expect(Endpoint(scheme: .http, host: host, port: 7749)?.authority == authority)
  }

  @Test(
    "hosts and ports that could harm a request are refused",
    arguments: [
      ("", 1), ("a b", 1), ("a/b", 1), ("a\r\nX: y", 1), ("a@b", 1), ("h", 0), ("h", 65_536),
    ]
  )
  func refuses(host: String, port: Int) {
    #expect(Endpoint(scheme: .http, host: host, port: port) == nil)
  }
}

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

  @Test("an entry comes back as it was written")
  func roundTrip() throws {
    let server = try sample()
    #expect(PairedServer(json: server.json) == server)
  }

  @Test("an entry has the members of the app's record and no token")
  func members() throws {
    let members = try #require(try sample().json.object)
    #expect(
      members.keys.sorted() == [
        "addedAt", "fingerprint", "host", "id", "name", "port", "proxy", "scheme",
        "tlsCertFingerprint", "tokenCommand",
      ]
    )
  }

  @Test("a pin that cannot be read does not turn into no pin")
  func badPin() throws {
    var members = try #require(try sample().json.object)
    members["tlsCertFingerprint"] = "sha256:nonsense"
    #expect(PairedServer(json: .object(members)) == nil)
  }
}
