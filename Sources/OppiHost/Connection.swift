// SPDX-License-Identifier: MIT

import EventLoop
package import HTTPCodec
package import OppiText
package import OppiTransport
package import WebSocketCodec

/// One connection of a client: consecutive HTTP requests, or a WebSocket after an upgrade.
package struct Connection: Sendable {
  package enum Next: Sendable {
    case request
    case socket(SocketService)
    case end
    /// The connection stays open, but nothing more is sent.
    case hang
  }

  private static let keepAlive = Duration.seconds(5)

  /// The number of the connection, starting at 1.
  package let id: Int
  let host: Host
  let accepted: AcceptedConnection

  var loop: EventLoop { host.loop }
  var filter: ConnectionFilter { host.parts.filter }

  func serve() async {
    // Errors only end the connection.
    try? await converse()
    filter.ended?(id)
  }

  /// Opens the stream of the connection, with TLS if the host has a certificate.
  package func open(tls isWanted: Bool = true) async throws(TransportError) -> Wire {
    let tls = isWanted ? host.configuration.tls : nil
    let stream = try await accepted.open(tls: tls, until: loop.now + Wire.timeout)
    return Wire(over: stream, of: id, filter: filter, on: loop)
  }

  private func converse() async throws(TransportError) {
    guard let wire = try await filter.open(self) else { return }
    var received: [UInt8] = []
    while let request = try await nextRequest(from: wire, behind: &received) {
      switch try await filter.answer(request, self, wire) {
      case .request: continue
      case .end: return
      case .hang: return await wire.discardInput()
      case .socket(let service):
        let sender = Sender(of: id, filter: filter)
        let socket = HostSocket(request: request, connection: self, wire: wire, sender: sender)
        return await socket.serve(service, received: received)
      }
    }
  }

  /// Reads a request; `nil` at the end of the stream or after the keep-alive time.
  private func nextRequest(
    from wire: Wire,
    behind received: inout [UInt8]
  ) async throws(TransportError) -> HTTPRequest? {
    var parser = HTTPRequestParser()
    var bytes = received
    while true {
      do {
        if let request = try parser.receive(bytes) {
          received = parser.leftover
          return request
        }
      } catch {
        try await wire.write(HTTPResponse(status: 400, reason: "Bad Request").bytes())
        return nil
      }
      do {
        bytes = try await wire.read(for: Self.keepAlive)
      } catch .timedOut {
        return nil
      }
      if bytes.isEmpty { return nil }
    }
  }

  /// Answers a request, or opens a WebSocket.
  package func answer(
    _ request: HTTPRequest,
    over wire: Wire
  ) async throws(TransportError) -> Next {
    let protocols = request.headers.values(of: "Upgrade")
    if request.method == "GET", protocols.contains(where: { $0.lowercased() == "websocket" }) {
      return await upgrade(request, over: wire)
    }
    // Larger requests are cut instead of answered; files are limited by their route.
    let isTooLarge =
      request.method != "PUT" && request.body.count > host.configuration.limits.bodyBytes
    guard !isTooLarge else { return .end }
    var response = await response(to: request)
    let keepsAlive =
      !request.headers.values(of: "Connection").contains("close") && response.status != 413
    response.headers.append(name: "Date", value: loop.timestamp.httpDate)
    response.headers.append(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
    if keepsAlive {
      response.headers.append(
        name: "Keep-Alive",
        value: "timeout=\(Self.keepAlive.components.seconds)"
      )
    }
    filter.responds?(response.status, id)
    try await wire.write(response.bytes(chunked: true))
    if keepsAlive { return .request }
    await wire.shutDown()
    return .end
  }

  package func response(to request: HTTPRequest) async -> HTTPResponse {
    await host.response(to: request)
  }

  /// Opens the WebSocket of a request with a valid token, path and version.
  private func upgrade(_ request: HTTPRequest, over wire: Wire) async -> Next {
    var service: SocketService?
    var response = HTTPResponse(status: 101, reason: "")
    if !host.parts.access.accepts(request) {
      response.status = 401
      response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"oppi\"")
    } else {
      service = await host.parts.sockets(request.path, host.sessions)
      if service == nil {
        response.status = 404
      } else if request.headers["Sec-WebSocket-Version"] != "13" {
        response.status = 400
      }
    }
    response.reason = HTTPResponse.reason(for: response.status)
    filter.responds?(response.status, id)
    guard let service, response.status == 101 else {
      response.headers.append(name: "Connection", value: "close")
      try? await wire.write(response.bytes())
      await wire.shutDown()
      return .end
    }
    let key = ClientHandshake.accept(forKey: request.headers["Sec-WebSocket-Key"] ?? "")
    response.headers = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": key,
    ]
    try? await wire.write(response.bytes())
    return .socket(service)
  }
}

/// The server side of a connection's bytes; at most one task reads and one writes.
package actor Wire {
  /// The maximum wait for a peer that neither reads nor writes.
  static let timeout = Duration.seconds(3600)

  private let loop: EventLoop
  private let stream: ByteStream
  private let connection: Int
  private let filter: ConnectionFilter

  init(
    over stream: sending ByteStream,
    of connection: Int,
    filter: ConnectionFilter,
    on loop: EventLoop
  ) {
    self.loop = loop
    self.stream = stream
    self.connection = connection
    self.filter = filter
  }

  /// Returns the next bytes; empty at the end of the stream.
  func read(for duration: Duration = timeout) async throws(TransportError) -> [UInt8] {
    try await stream.read(until: loop.now + duration)
  }

  package func write(_ bytes: [UInt8]) async throws(TransportError) {
    guard let pieces = filter.pieces(bytes, connection) else { throw .closed(.answer) }
    let deadline = loop.now + Self.timeout
    for piece in pieces {
      try await stream.write(piece, until: deadline)
      if pieces.count > 1 { await Task.yield() }
    }
  }

  /// Reads and discards bytes until the end of the stream.
  package func discardInput() async {
    while let bytes = try? await read(), !bytes.isEmpty {}
  }

  func shutDown() {
    if filter.pieces([], connection) != nil { stream.shutDown() }
  }
}

/// Sees what happens on the connections of a host, and can change it; by default, nothing changes.
///
/// Connections are numbered from 1.
package struct ConnectionFilter: Sendable {
  /// What is to be done after the usual; `nil` to leave out the usual.
  package typealias Sequel = (@Sendable () -> Void)?

  /// A connection was accepted; nothing has been read, and TLS has not begun.
  ///
  /// Without a result, the connection is closed.
  package var open: @Sendable (Connection) async throws(TransportError) -> Wire? = {
    connection throws(TransportError) in try await connection.open()
  }
  /// A request was read, possibly an upgrade.
  package var answer:
    @Sendable (HTTPRequest, Connection, Wire) async throws(TransportError) -> Connection.Next = {
      request,
      connection,
      wire throws(TransportError) in
      try await connection.answer(request, over: wire)
    }
  /// A response is about to be sent, also to an upgrade.
  package var responds: (@Sendable (_ status: Int, _ connection: Int) -> Void)?

  /// A WebSocket was opened, and the usual is to greet the client.
  package var opened: @Sendable (HostSocket) async -> Sequel = { _ in {} }
  package var received: (@Sendable (WebSocketConnection.Event, _ connection: Int) -> Void)?
  /// A message was received, and the usual is to handle it.
  package var handle: @Sendable (JSONValue?, HostSocket) async -> Sequel = { _, _ in {} }

  /// The bytes as they are written: in pieces, or not at all from now on.
  package var pieces: @Sendable ([UInt8], _ connection: Int) -> [[UInt8]]? = { bytes, _ in [bytes] }
  /// The size of the frames of messages; `nil` for one frame.
  package var frameSize: @Sendable (_ connection: Int) -> Int? = { _ in nil }
  package var ended: (@Sendable (_ connection: Int) -> Void)?

  package init() {}
}
