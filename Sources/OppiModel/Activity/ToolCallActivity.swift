// SPDX-License-Identifier: MIT

/// A call of a tool from the plan to the end.
package struct ToolCallActivity: Sendable, Equatable, Identifiable {
  /// The server's id, or one made here where the server gave none at first; unique within a turn.
  package let id: String
  package var tool: String
  /// As the model wrote them; of very long ones the beginning.
  package var arguments: JSONValue
  package var state: ToolCallState
  package var output = ToolOutputText()
  /// Whatever the tool reports beside its output; of very long reports the beginning.
  package var details = JSONValue.null
  /// What an edit or a write does to its file, known when it starts.
  package var lineChange: LineChange?
  /// How many pictures and sounds came back; they are counted and not kept.
  package var imageCount = 0
  package var startedAt: Timestamp?
  package var endedAt: Timestamp?

  /// The server's id; `nil` as long as it is unknown.
  var wireID: String?
  /// Whether the start of the call has been told.
  var isStartTold = false

  package init(id: String, tool: String, arguments: JSONValue, state: ToolCallState) {
    self.id = id
    self.tool = tool
    self.arguments = arguments
    self.state = state
  }

  /// Whether the call has not come to its end.
  package var isOpen: Bool { endedAt == nil }

  /// How long the call took, an approval included; `nil` before its end.
  package var duration: Duration? {
    guard let startedAt, let endedAt else { return nil }
    return .milliseconds(max(0, endedAt.milliseconds - startedAt.milliseconds))
  }

  /// The request that the call waits for.
  package var pendingApproval: PermissionRequest? {
    guard case .waitingApproval(let request) = state else { return nil }
    return request
  }
}

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
  /// Its turn is over, and the server did not report how the call ended.
  case unfinished
}
