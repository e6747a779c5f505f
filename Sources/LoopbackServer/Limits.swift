// SPDX-License-Identifier: MIT

extension LoopbackServer {
  /// The server's bounds, by default those of the real one.
  package struct Limits: Sendable {
    /// How long an invite can be used.
    package var inviteLifetime = Duration.seconds(90)
    /// How long an idle HTTP connection stays open.
    package var keepAlive = Duration.seconds(5)
    /// The time between pings; the connection is cut when a third one would follow two unanswered.
    package var pingInterval = Duration.seconds(30)
    /// How many agents of a workspace may be loaded; as many as the dialect's servers allow if `nil`.
    package var loadedSessionsPerWorkspace: Int?
    /// How many agents may be loaded in all; as many as the dialect's servers allow if `nil`.
    package var loadedSessions: Int?
    /// How many durable events of a session can be replayed.
    package var eventRing = 500
    /// How many turns of a session are recognised when they are sent again.
    package var rememberedTurns = 256
    /// How long a stop may take before it is tried again, and then before it has failed.
    package var stopPatience = (first: Duration.seconds(8), second: Duration.seconds(5))
    /// How long the end of a session takes over REST; the real ones take about a second.
    package var sessionEnd = Duration.zero
    /// How long the end of a session waits for its run.
    package var endPatience = Duration.seconds(1)

    package init() {}
  }
}
