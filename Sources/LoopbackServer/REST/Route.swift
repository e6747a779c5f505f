// SPDX-License-Identifier: MIT

import OppiModel

/// A method and a path with what answers them.
struct Route: Sendable {
  /// The answer's JSON and status.
  typealias Answer = (json: JSONValue, status: Int)
  typealias Handler = @Sendable (Call, Router) async throws(Refusal) -> Answer

  let method: String
  let path: PathTemplate
  /// Whether only servers of today have it.
  let isCurrent: Bool
  let handler: Handler

  init(_ method: String, _ path: String, isCurrent: Bool = false, handler: @escaping Handler) {
    self.method = method
    self.path = PathTemplate(path)
    self.isCurrent = isCurrent
    self.handler = handler
  }
}

/// An error answer to a request.
struct Refusal: Error {
  let status: Int
  let text: String
  /// Told only by older servers' streams, for what cannot get better by itself.
  let code: String?

  init(_ status: Int, _ text: String, code: String? = nil) {
    self.status = status
    self.text = text
    self.code = code
  }
}
