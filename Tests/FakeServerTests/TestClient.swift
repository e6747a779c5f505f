// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

/// A client of a running server, with its own loop.
struct TestClient: Sendable {
  let server: RunningServer
  let network: Network
  let destination: Network.Destination
  var token: String?

  /// Starts a server and runs a test against it with the owner's token.
  static func run(
    _ configuration: FakeServer.Configuration = .init(),
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

  /// Starts a server with the saved state of a stopped server, and returns its client.
  func restarted(
    _ configuration: FakeServer.Configuration = .init(),
    from remains: FakeServer.Remains
  ) throws -> TestClient {
    TestClient(
      server: try FakeServer.start(configuration, from: remains),
      network: network,
      destination: destination,
      token: token
    )
  }

  /// Creates a session on an older server and opens its stream.
  func openSession() async throws -> (stream: TestStream, sessionID: String) {
    let id = try await createSession()
    return (try await openSession(id), id)
  }

  /// Opens a session's own stream and reads up to the state that follows the agent's start.
  func openSession(_ id: String) async throws -> TestStream {
    let stream = try await connect(sessionPath(id, "/stream"))
    try await stream.read(through: "state")
    return stream
  }

  var headers: HTTPHeaders {
    token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
  }

  /// Sends a request on a new connection.
  func exchange(
    _ method: String,
    _ target: String,
    text: String = ""
  ) async throws -> HTTPResponse {
    try await exchange(method, target, bytes: Array(text.utf8))
  }

  func exchange(_ method: String, _ target: String, bytes: [UInt8]) async throws -> HTTPResponse {
    let connection = HTTPConnection(network: network, destination: destination)
    let request = HTTPRequest(method: method, target: target, headers: headers, body: bytes)
    return try await connection.exchange(request, until: .farOff).response
  }

  /// Sends a request and parses its JSON response.
  @discardableResult
  func call(
    _ method: String,
    _ target: String,
    body: JSONValue? = nil,
    expecting status: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let text = body?.text(escapingNonASCII: true) ?? ""
    let response = try await exchange(method, target, text: text)
    #expect(response.status == status, sourceLocation: sourceLocation)
    return try JSONValue(parsing: response.body)
  }

  /// Creates a session, by default in the first workspace, and returns its id.
  func createSession(name: String = "test", in workspaceID: String? = nil) async throws -> String {
    let path = workspaceID.map { "/workspaces/\($0)/sessions" } ?? sessionsPath
    let json = try await call("POST", path, body: ["name": .string(name)], expecting: 201)
    return try #require(json["session"]["id"].string)
  }

  /// The path of the first workspace's sessions.
  var sessionsPath: String { "/workspaces/\(server.configuration.workspaces[0].id)/sessions" }

  func sessionPath(_ id: String, _ rest: String = "") -> String {
    "\(sessionsPath)/\(id)\(rest)"
  }

  /// Opens the multiplexed stream and reads its greeting.
  func openStream() async throws -> TestStream {
    let stream = try await connect("/stream")
    #expect(try await stream.next()["type"] == "stream_connected")
    return stream
  }

  func connect(_ target: String) async throws -> TestStream {
    TestStream(
      socket: try await WebSocketStream.connect(
        network: network,
        to: destination,
        target: target,
        headers: headers,
        until: .farOff
      )
    )
  }

  /// Opens the multiplexed stream and subscribes to a new session with level full.
  func openSubscribed() async throws -> (stream: TestStream, sessionID: String) {
    let id = try await createSession()
    let stream = try await openStream()
    try await stream.subscribe(to: id)
    return (stream, id)
  }

  @discardableResult
  func wait(until condition: @escaping @Sendable (Journal) -> Bool) async throws -> Journal {
    try await server.wait(until: condition)
  }
}
