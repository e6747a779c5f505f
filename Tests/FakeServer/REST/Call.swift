// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel

/// A request that matched a route.
struct Call: Sendable {
  /// The values of the parameters in the route's path.
  let parameters: [String: String]
  let query: [String: String]
  let bytes: [UInt8]

  init(request: HTTPRequest, parameters: [String: String]) {
    self.parameters = parameters
    query = request.query
    bytes = request.body
  }

  /// The body as JSON; an empty body is an empty object.
  var body: JSONValue {
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

  var workspaceID: String { parameters["ws"] ?? "" }
  var sessionID: String { parameters["sid"] ?? "" }
}

extension HTTPRequest {
  var query: [String: String] {
    let text = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let items = text.split(separator: "&").map { item in
      let halves = item.split(separator: "=", maxSplits: 1)
      return (String(halves[0]), halves.count > 1 ? halves[1].percentDecoded() : "")
    }
    return Dictionary(items) { first, _ in first }
  }
}
