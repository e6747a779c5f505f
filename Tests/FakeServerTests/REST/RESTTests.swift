// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("REST")
struct RESTTests {
  private static var older: FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .perSession
    return configuration
  }

  @Test("a response has the headers of the real server")
  func headers() throws {
    try TestClient.run { client in
      let response = try await client.exchange("GET", "/me")
      #expect(response.reason == "OK")
      #expect(
        response.headers.fields.map(\.name) == [
          "X-Oppi-Protocol", "Content-Type", "Date", "Connection", "Keep-Alive",
          "Transfer-Encoding",
        ]
      )
      #expect(response.headers["X-Oppi-Protocol"] == "2")
      #expect(response.headers["Keep-Alive"] == "timeout=5")
      #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
    }
  }

  @Test(
    "all routes except health and pairing require a token",
    arguments: ["/me", "/workspaces", "/nothing-there", "/pair"]
  )
  func unauthorized(path: String) throws {
    try TestClient.run { client in
      var stranger = client
      for token in [nil, "wrong"] {
        stranger.token = token
        let answer = try await stranger.call("GET", path, expecting: 401)
        #expect(answer == ["error": "Unauthorized"])
      }
      #expect(try await stranger.call("GET", "/health") == ["ok": true, "protocol": 2])
    }
  }

  @Test("older servers have fewer routes", arguments: ["/sessions", "/permissions/x/respond"])
  func olderRoutes(path: String) throws {
    try TestClient.run(Self.older) { client in
      let method = path == "/sessions" ? "GET" : "POST"
      let answer = try await client.call(method, path, expecting: 404)
      #expect(answer == ["error": "Not found"])
    }
  }
}
