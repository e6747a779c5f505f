// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct RelevantVariablesTests {
  /// The differences as `NAME: here, there`.
  private static func all(
    _ here: [String: String],
    _ there: [String: String],
    usesProxy: Bool = false,
    usesTrustAnchors: Bool = false
  ) -> [String] {
    RelevantVariables.differences(
      here: here,
      there: there,
      usesProxy: usesProxy,
      usesTrustAnchors: usesTrustAnchors
    )
    .map { "\($0.name): \($0.here), \($0.there)" }
  }

  @Test("a variable is missing there, missing here or changed, and an empty variable is unset")
  func kinds() {
    let here = ["HOME": "/h", "OPPI_SERVER": "a", "XDG_CACHE_HOME": "", "PATH": "/bin"]
    let there = ["HOME": "/other", "OPPI_WORKSPACE": "w", "PATH": "/usr/bin"]
    #expect(
      Self.all(here, there) == ["HOME: /h, /other", "OPPI_SERVER: a, ", "OPPI_WORKSPACE: , w"]
    )
  }

  @Test("proxies and trust anchors are compared only if a server uses them")
  func servers() {
    let here = ["HTTPS_PROXY": "http://p", "SSL_CERT_FILE": "/c"]
    #expect(Self.all(here, [:]).isEmpty)
    #expect(Self.all(here, [:], usesProxy: true) == ["HTTPS_PROXY: http://p, "])
    #expect(Self.all(here, [:], usesTrustAnchors: true) == ["SSL_CERT_FILE: /c, "])
  }
}
