// SPDX-License-Identifier: MIT

import OppiModel

struct Route: Sendable {
  typealias Answer = (json: JSONValue, status: Int)
  typealias Condition = any KeyPath<FakeServer.Configuration, Bool> & Sendable
  typealias Handler = @Sendable (Call, Router) async throws(Refusal) -> Answer

  let method: String
  let path: PathTemplate
  /// The servers that have the route.
  let condition: Condition
  let handler: Handler

  init(
    _ method: String,
    _ path: String,
    if condition: Condition = \.isAny,
    handler: @escaping Handler
  ) {
    self.method = method
    self.path = PathTemplate(path)
    self.condition = condition
    self.handler = handler
  }

  /// A route of servers with session sockets.
  static func later(_ method: String, _ path: String, handler: @escaping Handler) -> Route {
    Route(method, path, if: \.hasSessionSockets, handler: handler)
  }

  func exists(in configuration: FakeServer.Configuration) -> Bool {
    configuration[keyPath: condition]
  }
}

struct Refusal: Error {
  let status: Int
  let text: String
  /// Sent only by streams of older servers, for permanent errors.
  let code: String?
  /// Further members of the response.
  let members: JSONObject

  init(_ status: Int, _ text: String, code: String? = nil, _ members: JSONObject = [:]) {
    self.status = status
    self.text = text
    self.code = code
    self.members = members
  }
}
