// SPDX-License-Identifier: MIT

/// The kinds of events that are treated in a special way.
enum EventKind {
  /// Numbered and kept for replay.
  static let durable: Set<String> = [
    "agent_start", "agent_end", "message_end", "tool_start", "tool_end", "stop_requested",
    "stop_confirmed", "stop_failed", "session_ended", "error",
  ]

  /// Sent to those who subscribed for notifications only.
  static let notifications: Set<String> = [
    "permission_request", "permission_expired", "permission_cancelled", "agent_start", "agent_end",
    "state", "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "error",
  ]
}
