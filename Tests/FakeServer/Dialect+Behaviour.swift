// SPDX-License-Identifier: MIT

import OppiModel

/// The differences between the servers of each dialect; those of their sessions and access are in
/// `Dialect+Sessions.swift` and `Dialect+Access.swift`.
extension Dialect {
  /// Whether the server is from before 2026-02-22.
  var isFirst: Bool { stream == .perSession }
  /// Whether the server has session sockets, app events and the routes that came with them.
  var hasSessionSockets: Bool { stream == .session }

  // MARK: - Events

  /// Whether streams announce the start and end of each message of the model.
  var announcesTurns: Bool { isFirst }
  var announcesQueue: Bool { !isFirst }
  /// Whether streams announce a call while the model still writes its arguments.
  var streamsArguments: Bool { !isFirst }
  /// Whether a call is announced once, and its growing arguments by `tool_update`.
  var updatesCalls: Bool { hasSessionSockets }
  /// Whether changes of the status are reported as `session_summary` instead of `state`.
  var summarizesChanges: Bool { hasSessionSockets }
  /// Whether streams announce cancelled requests for approval and forced ends of sessions.
  var explainsForcedEnds: Bool { !isFirst }
  var confirmsDecisions: Bool { !isFirst }
  /// Whether a second stop is confirmed as if the session were idle.
  var confirmsFalsely: Bool { !hasSessionSockets }
  /// Whether streams report a settled dialog, and several dialogs of a session can be pending.
  var settlesDialogs: Bool { hasSessionSockets }

  // MARK: - Streams

  /// Whether the error for invalid JSON is the message of the JSON parser.
  var quotesParser: Bool { isFirst }
  /// Whether upgrades from other origins are refused, and refusals have headers.
  var checksOrigins: Bool { !isFirst }
  /// Whether streams are closed with a code when the server stops.
  var announcesShutdown: Bool { !isFirst }
  /// The maximum size of a message on a stream, in bytes.
  var messageLimit: Int { isFirst ? 100 << 20 : 16 << 20 }
}
