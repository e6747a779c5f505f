// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiWire
import Synchronization
import TestSupport
import Testing

@testable import OppiTransport

/// A connection over loopback with both ends on the same loop.
struct Conversation<Server: Sendable, Client: Sendable>: Sendable {
  let server: Result<Server, any Error>
  let client: Result<Client, any Error>

  /// Runs a server and a client with one connection, and waits for both.
  init(
    on loop: EventLoop,
    server: @escaping @Sendable (AcceptedConnection) async throws -> Server,
    client: @escaping @Sendable (_ port: Int) async throws -> Client
  ) async throws {
    let listener = try Listener(loop: loop)
    async let served = Result.catching { try await server(try await listener.accept()) }
    async let asked = Result.catching { try await client(listener.port) }
    (self.server, self.client) = await (served, asked)
  }
}

/// Runs a server and a client with one connection on a new loop, and waits for both.
func converse<Server: Sendable, Client: Sendable>(
  server: @escaping @Sendable (AcceptedConnection, EventLoop) async throws -> Server,
  client: @escaping @Sendable (_ port: Int, EventLoop) async throws -> Client
) throws -> Conversation<Server, Client> {
  try onLoop { loop in
    try await Conversation(on: loop) { accepted in
      try await server(accepted, loop)
    } client: { port in
      try await client(port, loop)
    }
  }
}

extension Result where Success: Sendable, Failure == any Error {
  static func catching(_ body: @Sendable () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

/// Accepts any number of connections while the body runs.
func withServer<Success: Sendable>(
  on loop: EventLoop,
  _ serve: @escaping @Sendable (AcceptedConnection) async throws -> Void,
  while body: @Sendable (_ port: Int) async throws -> Success
) async throws -> Success {
  let listener = try Listener(loop: loop)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    defer { group.cancelAll() }
    group.addTask {
      await withDiscardingTaskGroup { connections in
        while let accepted = try? await listener.accept() {
          connections.addTask { try? await serve(accepted) }
        }
      }
    }
    return try await body(listener.port)
  }
}

/// The bytes that a server received over all its connections.
final class Received: Sendable {
  private let state = Mutex<[UInt8]>([])
  var bytes: [UInt8] { state.withLock { $0 } }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func add(_ bytes: [UInt8]) { state.withLock { $0 += bytes } }
}

extension AcceptedConnection {
  func open(tls context: TLSContext? = nil) async throws -> ByteStream {
    try await open(tls: context, until: .farOff)
  }
}

extension ByteStream {
  func read() async throws(TransportError) -> [UInt8] { try await read(until: .farOff) }

  func write(_ bytes: [UInt8]) async throws(TransportError) {
    try await write(bytes, until: .farOff)
  }

  func write(_ text: String) async throws(TransportError) { try await write(Array(text.utf8)) }

  /// Reads to the end of the stream or to an error.
  func readToEnd() async -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try? await read(), !bytes.isEmpty { all += bytes }
    return all
  }

  /// Reads `count` bytes, or fewer at the end of the stream.
  func read(count: Int) async throws(TransportError) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let bytes = try await read(until: .farOff, atMost: count - all.count)
      if bytes.isEmpty { break }
      all += bytes
    }
    return all
  }

  /// Reads one HTTP request, and drops any bytes received after it.
  func readRequest() async throws -> HTTPRequest {
    var parser = HTTPRequestParser()
    while true {
      let bytes = try await read()
      if bytes.isEmpty { throw HTTPError.truncated }
      if let request = try parser.receive(bytes) { return request }
    }
  }
}

extension HTTPConnection {
  /// A connection to a server on loopback.
  convenience init(to port: Int, on loop: EventLoop) throws {
    self.init(network: Network(loop: loop, environment: [:]), destination: try .local(port))
  }
}

extension Network.Destination {
  /// A server on loopback.
  static func local(
    _ port: Int,
    scheme: Endpoint.Scheme = .http,
    host: String = "127.0.0.1",
    pin: Fingerprint? = nil,
    proxy: Proxy? = nil
  ) throws -> Network.Destination {
    let endpoint = try #require(Endpoint(scheme: scheme, host: host, port: port))
    return Network.Destination(endpoint: endpoint, pin: pin, proxy: proxy)
  }
}
