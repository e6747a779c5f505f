// SPDX-License-Identifier: MIT

extension FakeServer {
  /// The server's limits, by default those of the real one.
  package struct Limits: Sendable {
    package var inviteLifetime = Duration.seconds(90)
    /// The lifetime of an access token, as announced to its device.
    package var accessTokenLifetime = Duration.seconds(600)
    /// How long an access token is accepted after its lifetime.
    package var accessTokenGrace = Duration.seconds(30)
    /// The number of access tokens that a device can request in a minute.
    package var refreshesPerMinute = 12
    /// The time after which a repeat launches again, unless the launch is recorded as ended.
    package var launchLease = Duration.seconds(120)
    package var keepAlive = Duration.seconds(5)
    /// The interval of pings; the connection is closed instead of sending a third unanswered ping.
    package var pingInterval = Duration.seconds(30)
    /// The maximum number of loaded agents per workspace; `nil` for the dialect's default.
    package var loadedSessionsPerWorkspace: Int?
    /// The maximum number of loaded agents; `nil` for the dialect's default.
    package var loadedSessions: Int?
    package var eventRing = 500
    /// The number of turns of a session that are recognised if sent again.
    package var rememberedTurns = 256
    /// The time after which a stop is retried, and then the time after which it fails.
    package var stopPatience = (first: Duration.seconds(8), second: Duration.seconds(5))
    /// The time to end a session over REST; about 1 s in real servers.
    package var sessionEnd = Duration.zero
    /// The maximum wait of a session's end for its run.
    package var endPatience = Duration.seconds(1)

    /// The maximum size of a request on servers with session sockets, in bytes.
    package var bodyBytes = 8 << 20
    /// The maximum size of an uploaded file, in bytes.
    package var uploadBytes = 50 << 20
    /// The maximum size of all files of a turn, in bytes.
    package var turnUploadBytes = 100 << 20

    package init() {}
  }
}
