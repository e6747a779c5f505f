// SPDX-License-Identifier: MIT

package struct ToolCallActivity: Sendable, Equatable, Identifiable {
  /// The server's id, or a local one if the server sent none at first; unique within a turn.
  package let id: String
  package var tool: String
  /// As the model wrote them, cut if very long.
  package var arguments: JSONValue
  package var state: ToolCallState
  package var output = ToolOutputText()
  /// What the tool reports besides its output, cut if very long.
  package var details = JSONValue.null
  /// The change that an edit or a write makes, known when the call starts.
  package var lineChange: LineChange?
  /// The number of images and sounds returned; only their number is kept.
  package var imageCount = 0
  package var startedAt: Timestamp?
  package var endedAt: Timestamp?

  /// The server's id; `nil` while unknown.
  var wireID: String?
  var isStartTold = false

  package init(id: String, tool: String, arguments: JSONValue, state: ToolCallState) {
    self.id = id
    self.tool = tool
    self.arguments = arguments
    self.state = state
  }

  package var isOpen: Bool { endedAt == nil }

  /// The time from start to end, including the wait for approval; `nil` before the end.
  package var duration: Duration? {
    guard let startedAt, let endedAt else { return nil }
    return .milliseconds(max(0, endedAt.milliseconds - startedAt.milliseconds))
  }

  package var pendingApproval: PermissionRequest? {
    guard case .waitingApproval(let request) = state else { return nil }
    return request
  }
}

package enum ToolCallState: Sendable, Equatable {
  /// The model is writing the call, or has written it.
  case planned
  case waitingApproval(PermissionRequest)
  /// As shown while the turn waits for the user, because a question is not that of a certain call.
  case waiting
  case running
  case succeeded
  case failed
  /// The tool never ran; the server's reason, or empty if it was not seen.
  case rejected(reason: String)
  /// The turn is over, and the server did not report the end of the call.
  case unfinished
}
