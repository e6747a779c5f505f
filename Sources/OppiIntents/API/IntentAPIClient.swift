// SPDX-License-Identifier: MIT

package import EventLoop
import HTTPCodec
package import OppiModel
package import OppiTransport

/// A stateless client of one server's REST interface.
package struct IntentAPIClient: Sendable {
  package let network: Network
  package let destination: Network.Destination
  /// The server's label, for errors.
  package let serverName: String
  private let access: any Access
  /// What the server speaks; `nil` until it was detected.
  package var dialect: Dialect?
  private var callLimit: Duration?

  package init(
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
  package init(
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
  package func limited(to limit: Duration?) -> IntentAPIClient {
    var client = self
    client.callLimit = limit
    return client
  }

  package var loop: EventLoop { network.loop }

  /// A connection that serves one call after another.
  func connection() -> HTTPConnection {
    HTTPConnection(network: network, destination: destination)
  }

  /// Replaces the access token that all processes share in time, so that no command needs a request
  /// for one.
  func keepAccessFresh(until deadline: EventLoop.Instant) async throws(IntentError) {
    _ = try await access.token(for: .service, over: connection(), until: deadline)
  }

  /// `GET /me`: succeeds if the server is reachable and accepts the token.
  package func me(until deadline: EventLoop.Instant) async throws(IntentError) {
    _ = try await call("GET", "/me", until: deadline)
  }

  /// `GET /workspaces`.
  package func listWorkspaces(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [Workspace] {
    try await list("workspaces", at: "/workspaces", until: deadline) { Workspace(json: $0) }
  }

  /// `GET /models`.
  package func listModels(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [LanguageModel] {
    try await list("models", at: "/models", until: deadline) { LanguageModel(json: $0) }
  }

  /// The size limit of an answer, by its subject.
  package enum AnswerLimit: Sendable {
    /// A server, a session, a confirmation.
    case entry
    /// Enough for some hundred thousand workspaces or sessions.
    case list
    /// A session's conversation.
    case conversation

    var bytes: Int {
      switch self {
      case .entry: 1 << 20
      case .list: 32 << 20
      case .conversation: 64 << 20
      }
    }
  }

  /// Calls on a new connection.
  func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    try await call(
      method,
      path,
      body: body,
      limit: limit,
      over: connection(),
      until: deadline
    )
  }

  /// Calls on a given connection, and returns the JSON object of a successful answer.
  package func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    var request = HTTPRequest(method: method, target: path)
    if let body {
      request.headers.append(name: "Content-Type", value: "application/json")
      request.body = body.bytes(escapingNonASCII: true)
    }
    return try await answer(to: request, limit, over: connection, until: deadline) { $0 }
  }

  /// Gets a value; a long answer is parsed off the loop.
  func get<Value: Sendable>(
    _ path: String,
    limit: AnswerLimit,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(IntentError) -> Value {
    let request = HTTPRequest(method: "GET", target: path)
    let connection = connection ?? self.connection()
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
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(IntentError) -> Dated<Value> {
    let request = HTTPRequest(method: "GET", target: path)
    let connection = connection ?? self.connection()
    return try await datedAnswer(to: request, limit, over: connection, until: deadline, read)
  }

  /// Gets a list without its unusable elements; a long answer is parsed off the loop.
  func list<Element: Sendable>(
    _ name: String,
    at path: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant,
    _ element: @escaping @Sendable (JSONValue) -> Element?
  ) async throws(IntentError) -> [Element] {
    let list = try await get(path, limit: .list, over: connection, until: deadline) { json in
      json[name].array?.compactMap(element)
    }
    guard let list else { throw malformed(name) }
    return list
  }

  private enum Answer<Value: Sendable>: Sendable {
    case success(Value)
    case refusal(message: String?)
    /// Not a JSON object.
    case malformed
  }

  /// Sends a request, and reads a successful answer.
  private func answer<Value: Sendable>(
    to request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(IntentError) -> Value {
    try await datedAnswer(to: request, limit, over: connection, until: deadline, read).value
  }

  /// Sends a request, reads a successful answer, and compares the clocks.
  private func datedAnswer<Value: Sendable>(
    to request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(IntentError) -> Dated<Value> {
    let deadline = callLimit.map { min(deadline, loop.now + $0) } ?? deadline
    let done = try await authorizedExchange(request, limit, over: connection, until: deadline)
    let (status, body, token) = (done.response.status, done.response.body, done.token)
    let isSuccess = (200..<300).contains(status)
    let answer: Answer<Value>
    do {
      answer = try await loop.offload(ifLong: body.isLongToRead, until: deadline) {
        let json = try? JSONValue(parsing: body)
        guard isSuccess else {
          // A server may echo the token in its message.
          let message = token.flatMap { json?["error"].string?.replacing($0, with: "(token)") }
          return .refusal(message: (message ?? json?["error"].string)?.safeLine())
        }
        return json.flatMap { $0.object == nil ? nil : .success(read($0)) } ?? .malformed
      }
    } catch {
      throw .transport(error.transportError, server: serverName)
    }
    switch answer {
    case .success(let value): return Dated(value: value, clockOffset: done.clockOffset)
    case .refusal(let message):
      throw .refused(status: status, message: message, server: serverName)
    case .malformed: throw malformed("JSON")
    }
  }

  private func authorizedExchange(
    _ request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Exchange {
    try await authorized(over: connection, until: deadline) {
      headers,
      token throws(IntentError) in
      var request = request
      for (name, value) in headers.fields { request.headers.append(name: name, value: value) }
      return try await exchange(request, token, limit, over: connection, until: deadline)
    } isRejected: {
      $0.response.status == 401
    }
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
  ) async throws(IntentError) -> (status: Int, json: JSONValue) {
    var request = HTTPRequest(method: method, target: path)
    request.headers.append(name: "Content-Type", value: "application/json")
    request.body = body.bytes(escapingNonASCII: true)
    let response = try await authorizedExchange(
      request,
      .entry,
      over: connection,
      until: deadline
    ).response
    return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
  }

  /// Sends bytes, and returns the JSON object of a successful answer.
  func put(
    _ bytes: [UInt8],
    to path: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    var request = HTTPRequest(method: "PUT", target: path)
    request.headers.append(name: "Content-Type", value: "application/octet-stream")
    request.body = bytes
    return try await answer(to: request, .entry, over: connection, until: deadline) { $0 }
  }

  /// Performs a request with the headers `Accept` and `Authorization`; once more with another token
  /// if the server rejected the first.
  ///
  /// A rejected request was not performed, so that any request may be repeated.
  func authorized<Value>(
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant,
    _ perform: (HTTPHeaders, _ token: String?) async throws(IntentError) -> Value,
    isRejected: (Value) -> Bool
  ) async throws(IntentError) -> Value {
    let token = try await access.token(for: .command, over: connection, until: deadline)
    let value = try await perform(Self.headers(with: token), token)
    guard isRejected(value), let token,
      let other = try await access.replacement(of: token, over: connection, until: deadline)
    else { return value }
    return try await perform(Self.headers(with: other), other)
  }

  private static func headers(with token: String?) -> HTTPHeaders {
    var headers = HTTPHeaders([("Accept", "application/json")])
    if let token { headers.append(name: "Authorization", value: "Bearer \(token)") }
    return headers
  }

  private struct Exchange {
    var response: HTTPResponse
    /// The token of the request.
    var token: String?
    var sentAt: Timestamp
    var receivedAt: Timestamp

    var clockOffset: Duration? {
      response.headers["Date"].flatMap { Timestamp(httpDate: $0) }.map {
        ClockOffset.estimate(date: $0, sentAt: sentAt, receivedAt: receivedAt)
      }
    }
  }

  private func exchange(
    _ request: HTTPRequest,
    _ token: String?,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Exchange {
    do {
      let sentAt = loop.timestamp()
      let response = try await connection.exchange(
        request,
        bodyLimit: limit.bytes,
        until: deadline
      )
      return Exchange(
        response: response,
        token: token,
        sentAt: sentAt,
        receivedAt: loop.timestamp()
      )
    } catch {
      throw .transport(error, server: serverName)
    }
  }

  func malformed(_ what: String) -> IntentError {
    .malformedAnswer(server: serverName, what: what)
  }
}
