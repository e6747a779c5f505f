// SPDX-License-Identifier: MIT

/// Why something failed, as it is kept in a file and shown.
package struct FailureReason: Sendable, Hashable {
  /// The code of an error of the program, such as `server-unreachable`.
  package var code: String
  /// One line, safe to show.
  package var message: String

  package init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}
