// SPDX-License-Identifier: MIT

import OppiModel

/// What a tool call came to.
struct ToolResult: Sendable {
  var output: String
  var isError = false
  /// Whatever the tool reports beside its output.
  var details: JSONValue?
}
