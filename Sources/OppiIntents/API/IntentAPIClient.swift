// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
package import OppiTransport

/// A stateless client of one server's REST interface: a few authenticated calls, nothing kept.
package struct IntentAPIClient: Sendable {
  package let network: Network
  package let destination: Network.Destination
  /// The server's label, for errors.
  package let serverName: String
  private let token: String?

  package init(
    network: Network,
    destination: Network.Destination,
    serverName: String,
    token: String?
  ) {
    self.network = network
    self.destination = destination
    self.serverName = serverName
    self.token = token
  }

  /// The loop that its calls run on.
  package var loop: EventLoop { network.loop }

  /// The headers that open the server, and `Accept: application/json`.
  package var headers: HTTPHeaders {
    var headers = HTTPHeaders([("Accept", "application/json")])
    if let token { headers.append(name: "Authorization", value: "Bearer \(token)") }
    return headers
  }

  /// `GET /me`: succeeds where the server is there and takes the token.
  package func me(until deadline: EventLoop.Instant) async throws(IntentError) {
    _ = try await call("GET", "/me", until: deadline)
  }

  /// `GET /workspaces`.
  package func listWorkspaces(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [Workspace] {
    let json = try await call("GET", "/workspaces", limit: .list, until: deadline)
    guard let list = json["workspaces"].array else { throw malformed("workspaces") }
    return list.compactMap(Workspace.init(json:))
  }

  /// `POST /workspaces/:id/sessions`, without a prompt: nothing runs yet.
  package func createSession(
    workspaceID: String,
    name: String?,
    model: String?,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Session {
    let body = JSONValue.object([
      "name": name.map(JSONValue.string), "model": model.map(JSONValue.string),
    ])
    let path = "/workspaces/\(workspaceID)/sessions"
    let json: JSONValue
    do {
      json = try await call("POST", path, body: body, until: deadline)
    } catch .refused(404, _, _) {
      throw .unknownWorkspace(name: workspaceID, known: [])
    }
    guard let session = Session(json: json["session"]) else { throw malformed("session") }
    return session
  }

  /// `GET /sessions`, or all workspaces' lists in turn on servers that have no such route.
  package func listSessions(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [Session] {
    do {
      return try sessions(in: await call("GET", "/sessions", limit: .list, until: deadline))
    } catch .refused(404, _, _) {
      var all: [Session] = []
      for workspace in try await listWorkspaces(until: deadline) {
        let path = "/workspaces/\(workspace.id)/sessions"
        all += try sessions(in: await call("GET", path, limit: .list, until: deadline))
      }
      return all
    }
  }

  private func sessions(in json: JSONValue) throws(IntentError) -> [Session] {
    guard let list = json["sessions"].array else { throw malformed("sessions") }
    return list.compactMap(Session.init(json:))
  }

  /// How much an answer may be, by what it is about, in bytes.
  package enum AnswerLimit: Sendable {
    /// A server, a session, a word of success.
    case entry
    /// Some hundred thousand workspaces or sessions.
    case list
    /// What was said in a session.
    case conversation

    var bytes: Int {
      switch self {
      case .entry: 1 << 20
      case .list: 32 << 20
      case .conversation: 64 << 20
      }
    }
  }

  /// One call on a connection of its own.
  func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    let connection = HTTPConnection(network: network, destination: destination)
    return try await call(
      method,
      path,
      body: body,
      limit: limit,
      over: connection,
      until: deadline
    )
  }

  /// One call on a given connection; returns the JSON of a successful answer.
  package func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    var request = HTTPRequest(method: method, target: path, headers: headers)
    if let body {
      request.headers.append(name: "Content-Type", value: "application/json")
      request.body = Array(body.text(escapingNonASCII: true).utf8)
    }
    let (response, json) = try await exchange(request, limit, over: connection, until: deadline)
    guard (200..<300).contains(response.status) else {
      let message = json?["error"].string?.safeLine()
      throw .refused(status: response.status, message: message, server: serverName)
    }
    guard let json, json.object != nil else { throw malformed("JSON") }
    return json
  }

  private func exchange(
    _ request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> (HTTPResponse, JSONValue?) {
    do {
      let response = try await connection.exchange(
        request,
        bodyLimit: limit.bytes,
        until: deadline
      )
      let json = try await loop.decode(response.body, until: deadline) {
        try? JSONValue(parsing: $0)
      }
      return (response, json)
    } catch let error as TransportError {
      throw .transport(error, server: serverName)
    } catch {
      throw .transport(
        (error as? EventLoop.WaitError)?.transportError ?? .cancelled,
        server: serverName
      )
    }
  }

  private func malformed(_ what: String) -> IntentError {
    .malformedAnswer(server: serverName, what: what)
  }
}
