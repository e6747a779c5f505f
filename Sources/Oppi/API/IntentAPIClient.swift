// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport

/// A stateless client of one server's REST interface.
struct IntentAPIClient: Sendable {
  let network: Network
  let destination: Network.Destination
  /// The server's label, for errors.
  let serverName: String
  let access: any Access
  /// What the server speaks; `nil` until it was detected.
  var dialect: Dialect?
  /// Who the server is; `nil` while it is being paired.
  var identity: ExpectedIdentity?
  private(set) var callLimit: Duration?
  let longAnswers = LongAnswers()
  /// Keeps a record of the replies to requests; `nil` before the server is paired.
  var recorder: ReplyRecorder?

  init(
    network: Network,
    destination: Network.Destination,
    serverName: String,
    access: any Access
  ) {
    self.network = network
    self.destination = destination
    self.serverName = serverName
    self.access = access
  }

  /// A client with a token that cannot be replaced, or without one.
  init(
    network: Network,
    destination: Network.Destination,
    serverName: String,
    token: String?
  ) {
    self.init(
      network: network,
      destination: destination,
      serverName: serverName,
      access: FixedAccess(token: token)
    )
  }

  /// A copy whose calls take at most `limit`, whatever their deadlines; `nil` for no limit.
  func limited(to limit: Duration?) -> IntentAPIClient {
    var client = self
    client.callLimit = limit
    return client
  }

  var loop: EventLoop { network.loop }

  /// A connection that serves one call after another.
  func connection() -> HTTPConnection {
    HTTPConnection(network: network, destination: destination)
  }

  /// Replaces the access token that all processes share in time, so that no command needs a request
  /// for one.
  func keepAccessFresh(until deadline: EventLoop.Instant) async throws(OppiError) {
    _ = try await access.token(for: .service, over: connection(), until: deadline)
  }

  /// `GET /me`: succeeds if the server is reachable and accepts the token.
  func me(until deadline: EventLoop.Instant) async throws(OppiError) {
    _ = try await call("GET", "/me", until: deadline)
  }

  /// `GET /workspaces`.
  func listWorkspaces(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [Workspace] {
    try await list("workspaces", at: "/workspaces", until: deadline) { Workspace(json: $0) }
  }

  /// `GET /models`.
  func listModels(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [LanguageModel] {
    try await list("models", at: "/models", until: deadline) { LanguageModel(json: $0) }
  }

  /// The size limit of an answer, by its subject.
  enum AnswerLimit: Sendable {
    /// A server, a session, a confirmation.
    case entry
    /// Enough for some ten thousand workspaces or sessions.
    case list
    /// A session's conversation.
    case conversation

    var bytes: Int {
      switch self {
      case .entry: 1 << 20
      case .list: 16 << 20
      case .conversation: 24 << 20
      }
    }
  }

  /// Returns the JSON object of a successful answer; without a connection, calls on a new one.
  func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> JSONValue {
    let request = Self.request(method, path, body)
    return try await answer(to: request, limit, over: connection, until: deadline) { $0 }
  }

  private static func request(_ method: String, _ path: String, _ body: JSONValue?) -> HTTPRequest {
    var request = HTTPRequest(method: method, target: path)
    if let body {
      request.headers.append(name: "Content-Type", value: "application/json")
      request.body = body.bytes(escapingNonASCII: true)
    }
    return request
  }

  /// Gets a value; a long answer is parsed off the loop.
  func get<Value: Sendable>(
    _ path: String,
    limit: AnswerLimit,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(OppiError) -> Value {
    let request = HTTPRequest(method: "GET", target: path)
    return try await answer(to: request, limit, over: connection, until: deadline, read)
  }

  /// A value, and the difference of the clocks at its arrival.
  struct Dated<Value: Sendable>: Sendable {
    var value: Value
    /// How far the server's clock is ahead of this machine's, to a second; `nil` if the server does
    /// not report its time.
    var clockOffset: Duration?
  }

  /// Gets a value, and compares the clocks.
  func getDated<Value: Sendable>(
    _ path: String,
    limit: AnswerLimit,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ read: @escaping Reader<Value>
  ) async throws(OppiError) -> Dated<Value> {
    let request = HTTPRequest(method: "GET", target: path)
    return try await datedAnswer(to: request, limit, over: connection, until: deadline, read)
  }

  /// Gets a list without its unusable elements; a long answer is parsed off the loop.
  func list<Element: Sendable>(
    _ name: String,
    at path: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ element: @escaping @Sendable (JSONValue) -> Element?
  ) async throws(OppiError) -> [Element] {
    try await datedList(name, at: path, over: connection, until: deadline, element).value
  }

  /// As ``list(_:at:over:until:_:)``, and compares the clocks.
  func datedList<Element: Sendable>(
    _ name: String,
    at path: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ element: @escaping @Sendable (JSONValue) -> Element?
  ) async throws(OppiError) -> Dated<[Element]> {
    let read = Self.elements(of: name, element)
    let answer = try await getDated(path, limit: .list, over: connection, until: deadline, read)
    guard let list = answer.value else { throw malformed(name) }
    return Dated(value: list, clockOffset: answer.clockOffset)
  }

  /// Calls like ``call(_:_:body:limit:over:until:)``, and returns the answer whatever its status.
  ///
  /// An answer that is not JSON is `null`.
  func answer(
    _ method: String,
    _ path: String,
    body: JSONValue,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (status: Int, json: JSONValue) {
    let request = Self.request(method, path, body)
    let exchange = try await authorizedExchange(request, .entry, over: connection, until: deadline)
    let response = exchange.response
    return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
  }

  /// Sends bytes, and returns the JSON object of a successful answer.
  func put(
    _ bytes: [UInt8],
    to path: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> JSONValue {
    var request = HTTPRequest(method: "PUT", target: path)
    request.headers.append(name: "Content-Type", value: "application/octet-stream")
    request.body = bytes
    return try await answer(to: request, .entry, over: connection, until: deadline) { $0 }
  }

  func malformed(_ what: String) -> OppiError {
    .malformedAnswer(server: serverName, what: what)
  }

  /// Throws unless the server has confirmed a change.
  func checkConfirmation(_ answer: JSONValue) throws(OppiError) {
    guard answer["ok"] == true else { throw malformed("confirmation") }
  }

  func session(in answer: JSONValue) throws(OppiError) -> Session {
    guard let session = Session(json: answer["session"]) else { throw malformed("session") }
    return session
  }
}
