// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer

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
          "Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers", "X-Oppi-Protocol", "Content-Type", "Date", "Connection",
          "Keep-Alive", "Transfer-Encoding",
        ]
      )
      #expect(response.headers["X-Oppi-Protocol"] == "2")
      #expect(response.headers["Keep-Alive"] == "timeout=5")
      #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
    }
  }

  @Test(
    "all routes except health, pairing and OPTIONS require a token",
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
      #expect(try await stranger.exchange("OPTIONS", path).status == 204)
    }
  }

  @Test("a token in the query is accepted, and the journal does not record it")
  func tokenInQuery() throws {
    try TestClient.run { client in
      var stranger = client
      stranger.token = nil
      let token = client.server.ownerToken
      try await stranger.call("GET", "/me?token=\(token)")
      let request = try #require(client.server.journal.requests.first)
      #expect(request.path == "/me")
      #expect(request.hasToken)
      #expect(request.status == 200)
    }
  }

  @Test("the server returns its identity, models and workspaces")
  func catalogue() throws {
    try TestClient.run { client in
      #expect(try await client.call("GET", "/me") == ["user": "owner", "name": "loopback"])
      let info = ServerInfo(json: try await client.call("GET", "/server/info"))
      #expect(info.fingerprint == client.server.fingerprint)
      let models = try await client.call("GET", "/models")["models"].array
      #expect(models?.first?["id"] == "openai-codex/gpt-5.3-codex")
      let list = try await client.call("GET", "/workspaces")["workspaces"].array ?? []
      let workspaces = client.server.configuration.workspaces
      #expect(list.compactMap(Workspace.init(json:)).map(\.id) == workspaces.map(\.id))
      #expect(list.compactMap(Workspace.init(json:)).map(\.name) == workspaces.map(\.name))
      #expect(list.allSatisfy { $0["systemPromptMode"] == "append" })
      let id = client.server.configuration.workspaces[1].id
      #expect(try await client.call("GET", "/workspaces/\(id)")["workspace"] == list[1])
      let answer = try await client.call("GET", "/workspaces/nope", expecting: 404)
      #expect(answer["error"] == "Workspace not found")
    }
  }

  @Test(
    "paths and methods match exactly",
    arguments: [
      ("GET", "/workspaces/"), ("POST", "/me"), ("GET", "/nothing"), ("GET", "/stream"),
    ]
  )
  func notFound(method: String, path: String) throws {
    try TestClient.run { client in
      let answer = try await client.call(method, path, expecting: 404)
      #expect(answer == ["error": "Not found"])
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

  @Test("a connection serves several requests and closes on request")
  func keepAlive() throws {
    try TestClient.run { client in
      let connection = HTTPConnection(network: client.network, destination: client.destination)
      var request = HTTPRequest(method: "GET", target: "/me", headers: client.headers)
      for _ in 0..<3 {
        _ = try await connection.exchange(request, until: .farOff)
      }
      #expect(client.server.journal.connections == 1)
      request.headers.append(name: "Connection", value: "close")
      let response = try await connection.exchange(request, until: .farOff).response
      #expect(response.headers.values(of: "Connection") == ["close"])
      try await client.wait { $0.endedConnections == 1 }
    }
  }

  @Test("an idle connection is closed")
  func idle() throws {
    var configuration = FakeServer.Configuration()
    configuration.limits.keepAlive = .milliseconds(10)
    try TestClient.run(configuration) { client in
      let connection = HTTPConnection(network: client.network, destination: client.destination)
      let request = HTTPRequest(method: "GET", target: "/health")
      _ = try await connection.exchange(request, until: .farOff)
      try await client.wait { $0.endedConnections == 1 }
    }
  }

  @Test("input that is not HTTP gets status 400")
  func notHTTP() throws {
    try TestClient.run { client in
      let stream = try await client.network.open(client.destination, until: .farOff)
      try await stream.write(
        Array("\u{16}\u{3}\u{1} hello\r\n\r\n".utf8),
        until: .farOff
      )
      let bytes = try await stream.read(until: .farOff)
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
    }
  }
}
