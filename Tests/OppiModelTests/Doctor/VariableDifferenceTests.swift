// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct VariableDifferenceTests {
  private static func all(
    _ here: [String: String],
    _ there: [String: String],
    usesProxy: Bool = false,
    usesTrustAnchors: Bool = false
  ) -> [VariableDifference] {
    VariableDifference.all(
      here: here,
      there: there,
      usesProxy: usesProxy,
      usesTrustAnchors: usesTrustAnchors
    )
  }

  @Test("a variable is missing there, missing here or changed, and an empty variable is unset")
  func kinds() {
    let here = ["HOME": "/h", "OPPI_SERVER": "a", "XDG_CACHE_HOME": "", "PATH": "/bin"]
    let there = ["HOME": "/other", "OPPI_WORKSPACE": "w", "PATH": "/usr/bin"]
    #expect(
      Self.all(here, there)
        == [.changed("HOME"), .missingThere("OPPI_SERVER"), .missingHere("OPPI_WORKSPACE")]
    )
  }

  @Test("proxies and trust anchors are compared only if a server uses them")
  func servers() {
    let here = ["HTTPS_PROXY": "http://p", "SSL_CERT_FILE": "/c"]
    #expect(Self.all(here, [:]).isEmpty)
    #expect(Self.all(here, [:], usesProxy: true) == [.missingThere("HTTPS_PROXY")])
    #expect(Self.all(here, [:], usesTrustAnchors: true) == [.missingThere("SSL_CERT_FILE")])
  }
}
