// SPDX-License-Identifier: MIT

import OppiModel

struct Route: Sendable {
  typealias Answer = (json: JSONValue, status: Int)
  typealias Handler = @Sendable (Call, Router) async throws(Refusal) -> Answer

  let method: String
  let path: PathTemplate
  /// Whether only current servers have the route.
  let isCurrent: Bool
  let handler: Handler

  init(_ method: String, _ path: String, isCurrent: Bool = false, handler: @escaping Handler) {
    self.method = method
    self.path = PathTemplate(path)
    self.isCurrent = isCurrent
    self.handler = handler
  }
}

struct Refusal: Error {
  let status: Int
  let text: String
  /// Sent only by streams of older servers, for permanent errors.
  let code: String?

  init(_ status: Int, _ text: String, code: String? = nil) {
    self.status = status
    self.text = text
    self.code = code
  }
}
