// SPDX-License-Identifier: MIT

package import HTTPCodec
package import OppiText

/// A request of REST, and how it is answered.
package struct Route: Sendable {
  package typealias Handler =
    @Sendable (Call, isolated Sessions) async throws(Refusal) -> HTTPResponse

  let method: String
  let path: PathTemplate
  let handler: Handler

  package init(_ method: String, _ path: String, handler: @escaping Handler) {
    self.method = method
    self.path = PathTemplate(path)
    self.handler = handler
  }
}

extension Host {
  /// Returns the response; without a token, unknown paths are rejected like known ones.
  func response(to request: HTTPRequest) async -> HTTPResponse {
    if request.path == "/health" { return .json(["ok": true, "protocol": 2]) }
    do throws(Refusal) {
      if let answer = try parts.access.answer(to: request) { return .json(answer) }
      for route in parts.routes where route.method == request.method {
        guard let parameters = route.path.match(request.path) else { continue }
        return try await route.handler(Call(request: request, parameters: parameters), sessions)
      }
      throw Refusal(404, "Not found")
    } catch {
      return .error(error.status, error.text, error.members)
    }
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

  package init(request: HTTPRequest, parameters: [String: String] = [:]) {
    self.parameters = parameters
    bytes = request.body
    let text = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let items = text.split(separator: "&").map { item in
      let halves = item.split(separator: "=", maxSplits: 1)
      return (String(halves[0]), halves.count > 1 ? halves[1].percentDecoded() : "")
    }
    query = Dictionary(items) { first, _ in first }
  }

  /// The body as JSON; an empty body is an empty object.
  package var body: JSONValue {
    get throws(Refusal) { try body(invalid: 500) }
  }

  /// The body as JSON, or the status of the error.
  package func body(invalid status: Int) throws(Refusal) -> JSONValue {
    if bytes.isEmpty { return [:] }
    do {
      return try JSONValue(parsing: bytes)
    } catch {
      throw Refusal(status, "Invalid JSON")
    }
  }

  /// A number in the query, zero or more; `nil` if there is none.
  package func number(_ name: String, or error: String? = nil) throws(Refusal) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw Refusal(400, error ?? "Invalid \(name)")
    }
    return number
  }
}

extension HTTPRequest {
  /// The target without the query.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The token in the header; `Bearer` is case-sensitive.
  package var bearer: String? {
    let value = headers["Authorization"] ?? ""
    return value.hasPrefix("Bearer ") ? String(value.dropFirst("Bearer ".count)) : nil
  }
}

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

  static func reason(for status: Int) -> String { reasons[status] ?? "" }

  private static let reasons = [
    101: "Switching Protocols", 200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 409: "Conflict", 413: "Payload Too Large",
    415: "Unsupported Media Type", 429: "Too Many Requests", 500: "Internal Server Error",
    503: "Service Unavailable",
  ]

  package func bytes(chunked: Bool = false) -> [UInt8] {
    do {
      return try encoded(chunked: chunked)
    } catch {
      preconditionFailure("an answer that cannot be written: \(error)")
    }
  }
}
