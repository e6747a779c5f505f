// SPDX-License-Identifier: MIT

package import HTTPCodec
package import OppiModel
import WebSocketCodec

/// A request of REST, and how it is answered.
package struct Route: Sendable {
  package typealias Answer = (json: JSONValue, status: Int)
  package typealias Handler = @Sendable (Call, Router) async throws(Refusal) -> Answer

  let method: String
  let path: PathTemplate
  let handler: Handler

  package init(_ method: String, _ path: String, handler: @escaping Handler) {
    self.method = method
    self.path = PathTemplate(path)
    self.handler = handler
  }
}

/// The answer to a request that cannot be served.
package struct Refusal: Error {
  package let status: Int
  package let text: String
  /// Sent only by streams, for permanent errors.
  let code: String?
  /// Further members of the response.
  package let members: JSONObject

  package init(
    _ status: Int,
    _ text: String,
    code: String? = nil,
    _ members: JSONObject = [:]
  ) {
    self.status = status
    self.text = text
    self.code = code
    self.members = members
  }

  /// The error for streams.
  package var event: JSONValue {
    .object([
      "type": "error",
      "error": .string(text),
      "code": code.map(JSONValue.string),
      "fatal": code == nil ? nil : true,
    ])
  }
}

/// A request that matched a route.
package struct Call: Sendable {
  /// The values of the parameters in the route's path.
  package let parameters: [String: String]
  package let query: [String: String]
  let bytes: [UInt8]

  package init(request: HTTPRequest, parameters: [String: String]) {
    self.parameters = parameters
    query = request.query
    bytes = request.body
  }

  /// The body as JSON; an empty body is an empty object.
  package var body: JSONValue {
    get throws(Refusal) { try body(invalid: 500) }
  }

  /// The body as JSON, or the status of the error.
  func body(invalid status: Int) throws(Refusal) -> JSONValue {
    if bytes.isEmpty { return [:] }
    do {
      return try JSONValue(parsing: bytes)
    } catch {
      throw Refusal(status, "Invalid JSON")
    }
  }

  /// A number in the query, zero or more.
  package func number(_ name: String) throws(Refusal) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), number >= 0 else { throw Refusal(400, "Invalid \(name)") }
    return number
  }

  package var workspaceID: String { parameters["ws"] ?? "" }
  package var sessionID: String { parameters["sid"] ?? "" }
}

extension HTTPRequest {
  package var query: [String: String] {
    let text = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let items = text.split(separator: "&").map { item in
      let halves = item.split(separator: "=", maxSplits: 1)
      return (String(halves[0]), halves.count > 1 ? halves[1].percentDecoded() : "")
    }
    return Dictionary(items) { first, _ in first }
  }
}

// SPDX-License-Identifier: MIT

/// A path with parameters, such as `/workspaces/:ws/sessions`.
package struct PathTemplate: Sendable {
  private let components: [Substring]

  package init(_ text: String) {
    components = Self.split(text[...])
  }

  /// Returns the parameters; `nil` if the path does not match.
  package func match(_ path: some StringProtocol) -> [String: String]? {
    let parts = Self.split(Substring(path))
    guard parts.count == components.count else { return nil }
    var parameters: [String: String] = [:]
    for (component, part) in zip(components, parts) {
      if component.hasPrefix(":"), !part.isEmpty {
        parameters[String(component.dropFirst())] = String(part)
      } else if component != part {
        return nil
      }
    }
    return parameters
  }

  /// Keeps empty components: a trailing slash is significant.
  private static func split(_ path: Substring) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }
}

extension HTTPResponse {
  /// A response with a JSON body and the headers of the real server.
  package static func json(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status,
      reason: reason(for: status),
      headers: ["X-Oppi-Protocol": "2", "Content-Type": "application/json"],
      body: json.bytes()
    )
  }

  package static func error(
    _ status: Int,
    _ text: String,
    _ members: JSONObject = [:]
  ) -> HTTPResponse {
    .json(JSONValue.object(["error": .string(text)]).adding(members), status: status)
  }

  package static func reason(for status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 413: "Payload Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Entity"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: ""
    }
  }

  /// The encoded response with the connection headers, chunked.
  func bytes(keepingAlive: Bool, at date: Timestamp) -> [UInt8] {
    var response = self
    response.headers.append(name: "Date", value: date.httpDate)
    response.headers.append(name: "Connection", value: keepingAlive ? "keep-alive" : "close")
    if keepingAlive { response.headers.append(name: "Keep-Alive", value: "timeout=5") }
    return response.bytes(chunked: true)
  }

  package func bytes(chunked: Bool = false) -> [UInt8] {
    do {
      return try encoded(chunked: chunked)
    } catch {
      preconditionFailure("an answer that cannot be written: \(error)")
    }
  }
}

extension HTTPResponse {
  /// The response that opens a WebSocket.
  package static func upgrade(for request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: 101,
      reason: reason(for: 101),
      headers: [
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Accept": ClientHandshake.accept(
          forKey: request.headers["Sec-WebSocket-Key"] ?? ""
        ),
      ]
    )
  }
}
