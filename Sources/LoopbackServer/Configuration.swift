// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

extension LoopbackServer {
  /// What kind of server it is.
  package struct Configuration: Sendable {
    /// How sessions are streamed, and with it how old the server seems.
    package var dialect = PairedServer.Dialect.multiplexed
    /// Whether it is a server with `/stream` from before mid-March 2026, which reports no prompt that
    /// its agent refuses, and has no list of all sessions.
    package var isEarly = false
    /// The server's certificate and key; plain `http` without.
    package var tls: TLSContext?
    /// The pin of the certificate, for invites.
    package var certificatePin: Fingerprint?
    /// The server's name in invites and answers.
    package var name = "loopback"
    /// The workspaces, oldest first; names may be any text.
    package var workspaces = [
      Workspace(
        id: "qX3dEmo0",
        name: "demo",
        icon: "hammer",
        description: "Demo repository"
      ),
      Workspace(
        id: "wEb-App1",
        name: "webapp",
        defaultModel: "anthropic/claude-opus-4-6"
      ),
    ]
    /// For how long the server seems to have run when it starts; none where it starts again.
    package var age = Duration.seconds(3600)
    /// How the agent answers prompts that select no script.
    package var manner = Manner.standard
    /// The pause before each event of an agent; none at all by default.
    package var pace = Duration.zero
    /// How long an agent takes to start; starts in one workspace wait for each other.
    package var agentStartDelay = Duration.zero
    /// How long it takes in certain workspaces, by id.
    package var agentStartDelays: [String: Duration] = [:]
    /// Workspaces whose agents cannot start, by id, with the error.
    package var startFailures: [String: String] = [:]
    /// The pause before another attempt of a failed model; the pace where `nil`.
    package var retryDelay: Duration?
    /// How long after its acknowledgement a prompt is refused that is refused late.
    package var lateRefusalDelay = Duration.milliseconds(700)
    /// How far REST and greetings of older servers are behind; the real ones by a second.
    package var restLag = Duration.zero
    /// After this time a request for approval is denied; never where `nil`.
    package var approvalTimeout: Duration? = .seconds(120)
    /// How the ids of new sessions begin, such as with the `-` that they may begin with.
    package var sessionIDPrefix = ""
    package var limits = Limits()
    /// Makes the server misbehave.
    package var interceptor: Interceptor?

    package init() {}

    /// Whether it has all that the newest server has.
    var isCurrent: Bool { dialect == .multiplexed && !isEarly }
  }
}
