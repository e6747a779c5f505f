// SPDX-License-Identifier: MIT

/// How far a call of a tool has come.
package enum ToolCallState: Sendable, Equatable {
  /// The model is writing the call, or has written it.
  case planned
  case waitingApproval(PermissionRequest)
  case running
  case succeeded
  case failed
  /// The tool never ran, in the server's words; empty where they were not seen.
  case rejected(reason: String)
}
