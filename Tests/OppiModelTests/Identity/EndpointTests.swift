// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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
