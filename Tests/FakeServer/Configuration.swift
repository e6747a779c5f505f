// SPDX-License-Identifier: MIT

package import OppiHost
package import OppiTransport
package import OppiWire

extension FakeServer {
  package struct Configuration: Sendable {
    /// What the server speaks, which also determines how old it appears.
    ///
    /// Unless it is set, device keys with a certificate, and otherwise the multiplexed stream of
    /// older servers, which need none.
    package var dialect: Dialect {
      get { chosenDialect ?? (tls == nil ? .multiplexed : .deviceKeys) }
      set { chosenDialect = newValue }
    }
    private var chosenDialect: Dialect?
    /// Whether the server appears to be from before mid-March 2026.
    ///
    /// It has `/stream`, but does not report prompts rejected by the agent and has no list of all
    /// sessions.
    package var isEarly = false
    /// The server's certificate and key; `nil` for plain `http`.
    package var tls: TLSContext?
    /// The certificate's fingerprint for invites.
    package var certificatePin: Fingerprint?
    /// The key that signs invites; `nil` for a server that does not sign them.
    package var identity: IdentityKey?
    /// Whether a server with device keys accepts credentials without TLS, as behind a proxy.
    package var acceptsPlainHTTP = false
    /// Whether tokens of older servers can be exchanged for those of a device key.
    package var migrates = false
    /// The tokens that an older server issued, for a server with device keys; those of the remains
    /// if it starts from any.
    package var legacyTokens: Set<String> = []
    /// Whether answers with an access token contain the challenge for the next one.
    package var offersChallenges = true
    /// The host in invites.
    package var host = "127.0.0.1"
    /// The server's name in invites and responses.
    package var name = "loopback"
    /// The workspaces, oldest first; names may be arbitrary text.
    ///
    /// One has a default model, which older servers use.
    package var workspaces = {
      var workspaces = HostConfiguration().workspaces
      workspaces[1].defaultModel = "anthropic/claude-opus-4-6"
      return workspaces
    }()
    /// The pause before each event of an agent.
    package var pace = Duration.zero
    /// The time to start an agent; starts in one workspace are sequential.
    package var agentStartDelay = Duration.zero
    /// The errors of workspaces whose agents fail to start, by ID.
    package var startFailures: [String: String] = [:]
    /// The pause before a retry; the pace if `nil`.
    package var retryDelay: Duration?
    /// The delay of session data in REST and greetings of older servers; about 1 s in real ones.
    package var restLag = Duration.zero
    /// The time after which a request for approval is denied; `nil` for never.
    package var approvalTimeout: Duration? = .seconds(120)
    /// The time after which a dialog is settled without an answer; `nil` for never.
    package var dialogTimeout: Duration?
    /// Whether today's servers ask for trust in a folder without a decision before a session starts.
    package var asksForTrust = false
    /// Whether an extension asks before calls that need approval, on servers without a gate.
    package var gatesCommands = false
    /// Whether streams report that nothing follows the end of a run.
    package var settlesTurns = true
    /// The delay of that report after the end of the run.
    package var settleDelay = Duration.zero
    /// Whether clients can see that an agent has started again, and its counter with it.
    package var hasRuntimeEpochs = true
    /// The prefix of new session IDs, for example `-`, with which real IDs may begin.
    package var sessionIDPrefix = ""
    /// Whether sessions, requests and dialogs have counted IDs, which another server has too.
    package var countsIDs = false
    /// The types of files that can be uploaded; all if `nil`.
    package var uploadTypes: Set<String>?
    package var limits = Limits()
    package var interceptor: Interceptor?

    package init() {}

    /// Whether the server lists all sessions and reports prompts rejected by the agent.
    var isCurrent: Bool { !dialect.isFirst && !isEarly }
  }

  /// The server's limits, by default those of the real one.
  package struct Limits: Sendable {
    /// The lifetime of an access token, as announced to its device.
    package var accessTokenLifetime = Duration.seconds(600)
    /// How long an access token is accepted after its lifetime.
    package var accessTokenGrace = Duration.seconds(30)
    /// The number of access tokens that a device can request in a minute.
    package var refreshesPerMinute = 12
    package var launchLease = Duration.seconds(120)
    package var pingInterval = Duration.seconds(30)
    /// The maximum number of loaded agents per workspace; `nil` for the dialect's default.
    package var loadedSessionsPerWorkspace: Int?
    /// The maximum number of loaded agents; `nil` for the dialect's default.
    package var loadedSessions: Int?
    package var eventRing = 500
    /// The time after which a stop is retried, and then the time after which it fails.
    package var stopTimeouts = (first: Duration.seconds(8), second: Duration.seconds(5))
    package var sessionEnd = Duration.zero
    package var uploadBytes = 50 << 20
    package var turnUploadBytes = 100 << 20

    package init() {}
  }
}

// MARK: - What the host gets

extension FakeServer.Configuration {
  var agent: ScriptedAgent {
    var agent = ScriptedAgent()
    agent.retryDelay = retryDelay
    agent.gatesCommands = gatesCommands && !dialect.asksForApproval
    return agent
  }

  var hosted: HostConfiguration {
    var hosted = HostConfiguration()
    hosted.name = name
    hosted.version = dialect.usualVersion
    hosted.host = host
    hosted.tls = tls
    hosted.certificatePin = certificatePin
    hosted.identity = identity
    hosted.workspaces = workspaces
    hosted.pace = pace
    hosted.dialogTimeout = dialect.hasSessionSockets ? dialogTimeout : nil
    hosted.asksForTrust = dialect.hasSessionSockets && asksForTrust
    hosted.uploadTypes = uploadTypes
    hosted.limits.launchLease = limits.launchLease
    hosted.limits.pingInterval = limits.pingInterval
    hosted.limits.eventRing = limits.eventRing
    hosted.limits.sessionEnd = limits.sessionEnd
    if !dialect.hasSessionSockets { hosted.limits.bodyBytes = .max }
    hosted.limits.uploadBytes = limits.uploadBytes
    hosted.limits.turnUploadBytes = limits.turnUploadBytes
    return hosted
  }
}

// MARK: - The differences between the servers of each dialect

extension Dialect {
  /// Whether the server is from before 2026-02-22.
  var isFirst: Bool { stream == .perSession }
  /// Whether the server has session sockets, app events and the routes that came with them.
  var hasSessionSockets: Bool { stream == .session }
  /// Whether the server's own gate asks for approval of calls.
  var asksForApproval: Bool { requests == .permissions }
  /// Whether a session without an agent is stopped when the server starts.
  var stopsSessionsAtLaunch: Bool { !isFirst }
  /// Whether a workspace has a default model.
  var hasWorkspaceModels: Bool { credential == .bearer }

  /// The version of a typical server.
  var usualVersion: String {
    switch (stream, credential) {
    case (.session, .bearer): "0.46.0"
    case (.session, .deviceKey): "0.49.1"
    default: "0.2.0"
    }
  }

  var sessionLimits: (perWorkspace: Int, total: Int) {
    switch stream {
    case .perSession: (3, 5)
    case .multiplexed: (20, 40)
    case .session: (200, 200)
    }
  }
}
