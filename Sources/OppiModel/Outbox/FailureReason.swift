// SPDX-License-Identifier: MIT

package struct FailureReason: Sendable, Hashable {
  /// An error code of the program, such as `server-unreachable`.
  package var code: String
  /// One line, safe to show.
  package var message: String

  package init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}
