// SPDX-License-Identifier: MIT

import CommandTable

/// A session's id, a prefix of it, `last`, or `server/` before one of these.
struct SessionName: ArgumentValue, Equatable {
  static let placeholder = "SESSION"
  static let isIdentifier = true

  var text: String

  init(argument: String) throws(ArgumentValueError) {
    guard !argument.isEmpty else { throw ArgumentValueError("expects a session's id") }
    text = argument
  }
}
