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
