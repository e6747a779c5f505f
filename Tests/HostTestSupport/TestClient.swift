// SPDX-License-Identifier: MIT

import EventLoop
package import FakeServer
import Glibc
package import HTTPCodec
package import OppiText
package import OppiTransport
import OppiWire
import TestSupport
package import Testing

extension FakeServer.Configuration {
  private static func of(_ dialect: Dialect, _ change: (inout Self) -> Void) -> Self {
    var configuration = Self()
    configuration.dialect = dialect
    change(&configuration)
    return configuration
  }

  /// A server of spring 2026, with the multiplexed stream.
  package static func spring(_ change: (inout Self) -> Void = { _ in }) -> Self {
    of(.multiplexed, change)
  }

  /// One of the first servers.
  package static func first(_ change: (inout Self) -> Void = { _ in }) -> Self {
    of(.perSession, change)
  }

  /// A server with session sockets.
  package static func sockets(_ change: (inout Self) -> Void = { _ in }) -> Self {
    of(.sessionSockets, change)
  }

  /// A server with device keys, as behind a proxy.
  package static func devices(_ change: (inout Self) -> Void = { _ in }) -> Self {
    of(.deviceKeys) {
      $0.acceptsPlainHTTP = true
      change(&$0)
    }
  }
}

/// A client of a running server, with its own loop.
package struct TestClient: Sendable {
  package let server: RunningServer
  package let network: Network
  package let destination: Network.Destination
  package var token: String?

  /// Starts a server and runs a test against it with the owner's token.
  package static func run(
    _ configuration: FakeServer.Configuration = .spring(),
    _ test: @escaping @Sendable (TestClient) async throws -> Void
  ) throws {
    // As in the program: TLS writes to connections that the server has cut.
    signal(SIGPIPE, SIG_IGN)
    let server = try FakeServer.start(configuration)
    let loop = try EventLoop()
    let endpoint = try #require(
      Endpoint(
        scheme: configuration.tls == nil ? .http : .https,
        host: "127.0.0.1",
        port: server.port
      )
    )
    let client = TestClient(
      server: server,
      network: Network(loop: loop, environment: [:]),
      destination: .init(endpoint: endpoint, pin: configuration.certificatePin),
      token: server.ownerToken
    )
    try loop.runInTime {
      try await test(client)
      await server.stop()
    }
  }

  /// Runs a test with a stream of a new session, whose agent is loaded.
  package static func runSession(
    _ configuration: FakeServer.Configuration = .spring(),
    _ test: @escaping @Sendable (TestClient, TestStream) async throws -> Void
  ) throws {
    try run(configuration) { client in try await test(client, client.openSession()) }
  }

  /// Starts a server with the saved state of a stopped server, and returns its client.
  package func restarted(
    _ configuration: FakeServer.Configuration? = nil,
    from remains: FakeServer.Remains
  ) throws -> TestClient {
    let configuration = configuration ?? server.configuration
    var client = TestClient(
      server: try FakeServer.start(configuration, from: remains),
      network: network,
      destination: destination
    )
    client.token = token
    return client
  }

  package func with(token: String?) -> TestClient {
    var client = self
    client.token = token
    return client
  }
}

// MARK: - REST

extension TestClient {
  package var headers: HTTPHeaders {
    token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
  }

  /// Sends a request on a new connection.
  package func exchange(
    _ method: String,
    _ target: String,
    bytes: [UInt8] = []
  ) async throws -> HTTPResponse {
    let connection = HTTPConnection(network: network, destination: destination)
    let request = HTTPRequest(method: method, target: target, headers: headers, body: bytes)
    return try await connection.exchange(request, until: .farOff).response
  }

  /// Sends a request and parses its JSON response.
  @discardableResult
  package func call(
    _ method: String,
    _ target: String,
    body: JSONValue? = nil,
    text: String? = nil,
    expecting status: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let text = text ?? body?.text(escapingNonASCII: true) ?? ""
    let response = try await exchange(method, target, bytes: Array(text.utf8))
    #expect(response.status == status, sourceLocation: sourceLocation)
    return try JSONValue(parsing: response.body)
  }

  /// The path of the sessions of a workspace.
  package func sessionsPath(_ workspace: Int = 0) -> String {
    "/workspaces/\(server.configuration.workspaces[workspace].id)/sessions"
  }

  package func sessionPath(_ id: String, _ rest: String = "") -> String {
    "\(sessionsPath())/\(id)\(rest)"
  }

  /// Creates a session with members and expects a status.
  package func launch(
    _ body: JSONValue,
    expecting status: Int = 201,
    in workspace: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    try await call(
      "POST",
      sessionsPath(workspace),
      body: body,
      expecting: status,
      sourceLocation: sourceLocation
    )
  }

  /// Creates a session and returns its ID.
  package func createSession(in workspace: Int = 0) async throws -> String {
    try #require(try await launch(["name": "test"], in: workspace)["session"]["id"].string)
  }

  /// The record of a session of the first workspace.
  package func session(_ id: String) async throws -> JSONValue {
    try await call("GET", sessionPath(id))["session"]
  }

  package func trace(_ id: String) async throws -> [JSONValue] {
    try #require(try await call("GET", sessionPath(id))["trace"].array)
  }

  /// Ends a session, and returns its record.
  @discardableResult
  package func stop(_ id: String) async throws -> JSONValue {
    try await call("POST", sessionPath(id, "/stop"))["session"]
  }

  /// Handles a message over REST and returns what a socket would have been sent.
  package func command(_ message: JSONValue, in id: String) async throws -> [JSONValue] {
    let answer = try await call("POST", "/sessions/\(id)/command", body: message)
    return try #require(answer["messages"].array)
  }

  @discardableResult
  package func wait(until condition: @escaping @Sendable (Journal) -> Bool) async throws -> Journal
  {
    try await server.wait(until: condition)
  }
}

// MARK: - Streams

extension TestClient {
  package func connect(_ target: String, of id: String = "") async throws -> TestStream {
    TestStream(
      socket: try await WebSocketStream.connect(
        network: network,
        to: destination,
        target: target,
        headers: headers,
        until: .farOff
      ),
      id: id
    )
  }

  /// Opens a session's own stream.
  package func connectSession(_ id: String) async throws -> TestStream {
    try await connect(sessionPath(id, "/stream"), of: id)
  }

  /// Opens the multiplexed stream for messages to a session, and reads its greeting.
  package func openStream(of id: String = "") async throws -> TestStream {
    var stream = try await connect("/stream", of: id)
    stream.isMultiplexed = true
    #expect(try await stream.next()["type"] == "stream_connected")
    return stream
  }

  /// Opens a stream of a session, by default of a new one, and reads what follows the agent's start.
  package func openSession(_ id: String? = nil) async throws -> TestStream {
    let id = if let id { id } else { try await createSession() }
    if server.configuration.dialect.stream == .multiplexed {
      let stream = try await openStream(of: id)
      try await stream.subscribe()
      return stream
    }
    let stream = try await connectSession(id)
    try await stream.read(through: "state")
    return stream
  }

  /// Sends a raw upgrade request and reads until the answer meets a condition or ends.
  package func upgrade(
    _ target: String = "/stream",
    _ changes: [String: String?] = [:],
    until isEnough: (String) -> Bool
  ) async throws -> String {
    let headers: [String: String?] = [
      "Host": "here",
      "Upgrade": "websocket",
      "Connection": "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version": "13",
      "Authorization": "Bearer \(server.ownerToken)",
    ]
    let lines = headers.merging(changes) { $1 }.compactMap { name, value in
      value.map { "\(name): \($0)\r\n" }
    }
    let request = "GET \(target) HTTP/1.1\r\n\(lines.joined())\r\n"
    let stream = try await network.open(destination, until: .farOff)
    try await stream.write(Array(request.utf8), until: .farOff)
    var bytes: [UInt8] = []
    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
      let more = try await stream.read(until: .farOff)
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
