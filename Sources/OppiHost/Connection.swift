// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
package import OppiTransport
package import WebSocketCodec

/// One connection of a client: consecutive HTTP requests, or a WebSocket after an upgrade.
package struct Connection: Sendable {
  package enum Next: Sendable {
    case request
    case socket(any SocketService)
    case end
    /// The connection stays open, but nothing more is sent.
    case hang
  }

  /// The number of the connection, starting at 1.
  package let id: Int
  package let router: Router
  let filter: any ConnectionFilter
  let upgrades: Upgrades
  let accepted: AcceptedConnection

  package var loop: EventLoop { router.loop }
  var configuration: HostConfiguration { router.configuration }

  func serve() async {
    // Errors only end the connection.
    try? await converse()
    filter.ended(id)
  }

  /// Opens the stream of the connection, with TLS if the host has a certificate.
  package func open(tls isWanted: Bool = true) async throws(TransportError) -> Wire {
    let tls = isWanted ? configuration.tls : nil
    let stream = try await accepted.open(tls: tls, until: loop.now + Wire.patience)
    return Wire(over: stream, of: id, filter: filter, on: loop)
  }

  private func converse() async throws(TransportError) {
    guard let wire = try await filter.open(self) else { return }
    var received: [UInt8] = []
    while let request = try await nextRequest(from: wire, behind: &received) {
      switch try await filter.answer(request, on: self, over: wire) {
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
        bytes = try await wire.read(for: configuration.limits.keepAlive)
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
    guard !Upgrades.isAskedFor(by: request) else { return try await upgrade(request, over: wire) }
    // Larger requests are cut instead of answered; files are limited by their route.
    let isTooLarge =
      request.method != "PUT" && request.body.count > configuration.limits.bodyBytes
    guard !isTooLarge else { return .end }
    let response = await response(to: request)
    let keepsAlive =
      !request.headers.values(of: "Connection").contains("close") && response.status != 413
    filter.responds(with: response.status, on: id)
    try await wire.write(response.bytes(keepingAlive: keepsAlive, at: loop.timestamp))
    if keepsAlive { return .request }
    await wire.shutDown()
    return .end
  }

  package func response(to request: HTTPRequest) async -> HTTPResponse {
    await filter.respond(to: request) { await router.response(to: request) }
  }

  private func upgrade(
    _ request: HTTPRequest,
    over wire: Wire
  ) async throws(TransportError) -> Next {
    do throws(Upgrades.Refusal) {
      let service = try await upgrades.service(for: request, of: router)
      filter.responds(with: 101, on: id)
      try? await wire.write(HTTPResponse.upgrade(for: request).bytes())
      return .socket(service)
    } catch {
      filter.responds(with: error.status, on: id)
      try? await wire.write(filter.refusal(error.response))
      await wire.shutDown()
      return .end
    }
  }
}

/// The WebSockets that a host has, and who may open them.
package struct Upgrades: Sendable {
  package typealias Table = @Sendable (_ path: String, Sessions) async -> (any SocketService)?

  struct Refusal: Error {
    let status: Int

    var response: HTTPResponse {
      var response = HTTPResponse(status: status, reason: HTTPResponse.reason(for: status))
      if status == 401 {
        response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"oppi\"")
      }
      response.headers.append(name: "Connection", value: "close")
      return response
    }
  }

  /// Whether web pages may connect only to the host that they came from.
  private let checksOrigins: Bool
  private let table: Table

  package init(checksOrigins: Bool = true, _ table: @escaping Table = Self.sockets) {
    self.checksOrigins = checksOrigins
    self.table = table
  }

  static func isAskedFor(by request: HTTPRequest) -> Bool {
    request.method == "GET"
      && request.headers.values(of: "Upgrade").contains { $0.lowercased() == "websocket" }
  }

  /// Checks the token, the path, the origin and the version, in this order.
  func service(
    for request: HTTPRequest,
    of router: Router
  ) async throws(Refusal) -> any SocketService {
    guard router.access.accepts(request) else { throw Refusal(status: 401) }
    guard let service = await table(request.path, router.sessions) else {
      throw Refusal(status: 404)
    }
    guard !checksOrigins || Self.hasOwnOrigin(request) else { throw Refusal(status: 403) }
    guard request.headers["Sec-WebSocket-Version"] == "13",
      request.headers["Sec-WebSocket-Key"] != nil
    else { throw Refusal(status: 400) }
    return service
  }

  private static func hasOwnOrigin(_ request: HTTPRequest) -> Bool {
    guard let origin = request.headers["Origin"] else { return true }
    let host = request.headers["Host"] ?? ""
    return ["http://\(host)", "https://\(host)"].contains(origin)
  }

  /// The sockets of sessions and of app events.
  package static let sockets: Table = { path, sessions in
    if path == "/app/events/stream" { return AppEventSocket(sessions: sessions) }
    guard let (workspaceID, sessionID) = session(ofPath: path) else { return nil }
    return await sessions.contains(sessionID, inWorkspace: workspaceID)
      ? SessionSocket(sessions: sessions, sessionID: sessionID) : MissingSessionSocket()
  }

  /// The session in the path of its stream; `nil` for another path.
  package static func session(
    ofPath path: String
  ) -> (workspaceID: String, sessionID: String)? {
    guard let parameters = PathTemplate("/workspaces/:ws/sessions/:sid/stream").match(path),
      let workspaceID = parameters["ws"], let sessionID = parameters["sid"]
    else { return nil }
    return (workspaceID, sessionID)
  }
}

/// The server side of a connection's bytes; at most one task reads and one writes.
package actor Wire {
  /// The maximum wait for a peer that neither reads nor writes.
  static let patience = Duration.seconds(3600)

  private let loop: EventLoop
  private let stream: ByteStream
  private let connection: Int
  private let filter: any ConnectionFilter

  init(
    over stream: sending ByteStream,
    of connection: Int,
    filter: any ConnectionFilter,
    on loop: EventLoop
  ) {
    self.loop = loop
    self.stream = stream
    self.connection = connection
    self.filter = filter
  }

  /// Returns the next bytes; empty at the end of the stream.
  func read(for duration: Duration = patience) async throws(TransportError) -> [UInt8] {
    try await stream.read(until: loop.now + duration)
  }

  package func write(_ bytes: [UInt8]) async throws(TransportError) {
    guard let pieces = filter.pieces(of: bytes, on: connection) else { throw .closed(.answer) }
    let deadline = loop.now + Self.patience
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
    if filter.pieces(of: [], on: connection) != nil { stream.shutDown() }
  }
}

/// Sees what happens on the connections of a host, and can change it; the defaults change nothing.
///
/// Connections are numbered from 1.
package protocol ConnectionFilter: Sendable {
  /// A connection was accepted; nothing has been read, and TLS has not begun.
  ///
  /// - Returns: `nil` to close the connection.
  func open(_ connection: Connection) async throws(TransportError) -> Wire?
  /// A request was read, possibly an upgrade.
  func answer(
    _ request: HTTPRequest,
    on connection: Connection,
    over wire: Wire
  ) async throws(TransportError) -> Connection.Next
  /// A response is about to be sent, also to an upgrade.
  func responds(with status: Int, on connection: Int)
  /// The form of a response; today's has no headers for web pages of other origins.
  func respond(to request: HTTPRequest, usual: () async -> HTTPResponse) async -> HTTPResponse
  /// The form of the refusal of an upgrade.
  func refusal(_ response: HTTPResponse) -> [UInt8]

  /// A WebSocket was opened; nothing has been sent on it. `usual` greets the client.
  func open(_ socket: HostSocket, usual: () async -> Void) async
  func received(_ event: WebSocketConnection.Event, on connection: Int)
  /// A message was received, and is not lost. `usual` handles it.
  func handle(_ message: JSONValue?, on socket: HostSocket, usual: () async -> Void) async

  /// The bytes as they are written: in pieces, or not at all from now on.
  func pieces(of bytes: [UInt8], on connection: Int) -> [[UInt8]]?
  /// The size of the frames of messages; `nil` for one frame.
  func frameSize(on connection: Int) -> Int?
  func ended(_ connection: Int)
}

extension ConnectionFilter {
  package func open(_ connection: Connection) async throws(TransportError) -> Wire? {
    try await connection.open()
  }
  package func answer(
    _ request: HTTPRequest,
    on connection: Connection,
    over wire: Wire
  ) async throws(TransportError) -> Connection.Next {
    try await connection.answer(request, over: wire)
  }
  package func responds(with status: Int, on connection: Int) {}
  package func respond(
    to request: HTTPRequest,
    usual: () async -> HTTPResponse
  ) async -> HTTPResponse { await usual() }
  package func refusal(_ response: HTTPResponse) -> [UInt8] { response.bytes() }

  package func open(_ socket: HostSocket, usual: () async -> Void) async { await usual() }
  package func received(_ event: WebSocketConnection.Event, on connection: Int) {}
  package func handle(
    _ message: JSONValue?,
    on socket: HostSocket,
    usual: () async -> Void
  ) async { await usual() }

  package func pieces(of bytes: [UInt8], on connection: Int) -> [[UInt8]]? { [bytes] }
  package func frameSize(on connection: Int) -> Int? { nil }
  package func ended(_ connection: Int) {}
}

struct NoFilter: ConnectionFilter {}
