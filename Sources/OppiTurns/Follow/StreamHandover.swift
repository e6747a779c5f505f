// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
package import OppiWire

/// The state of a prompt that the server has.
package struct AskOutcome: Sendable, Equatable {
  /// The last step of the prompt that is known.
  package var state: PromptDelivery.Progress
  package var sessionID: String
  /// The id under which it was accepted.
  package var clientTurnID: String
  /// What the server reports about the session.
  package var location = PromptDelivery.ReportedLocation()
  /// The stream that the server actually has.
  package var stream: Dialect.Stream

  package init(
    state: PromptDelivery.Progress,
    sessionID: String,
    clientTurnID: String,
    location: PromptDelivery.ReportedLocation = PromptDelivery.ReportedLocation(),
    stream: Dialect.Stream
  ) {
    (self.state, self.sessionID, self.clientTurnID) = (state, sessionID, clientTurnID)
    (self.location, self.stream) = (location, stream)
  }

  /// The session that has the prompt.
  package func session(on server: PairedServer) -> ServerSession {
    var server = server
    server.learn(stream)
    return ServerSession(
      server: server,
      id: sessionID,
      workspaceID: location.workspaceID,
      workspaceName: location.workspaceName
    )
  }

  /// Whether its agent is Pi, as all agents of servers without device keys are.
  package func isOfPi(on server: PairedServer) -> Bool {
    location.isPi ?? (server.dialect?.credential != .deviceKey)
  }

  /// The composite id of its workspace; `nil` if the server did not name it.
  package func workspace(on server: PairedServer) -> WorkspaceReference? {
    location.workspaceID.flatMap { WorkspaceReference(serverID: server.id, workspaceID: $0) }
  }
}

/// A prompt that the server has, and the stream of its turn if the turn is awaited.
package typealias AskDelivery = (outcome: AskOutcome, stream: StreamHandover?)

/// A subscription to a session, and the messages received over it so far.
package struct StreamHandover: Sendable {
  /// `nil` if the connection was lost.
  package var socket: IntentWebSocket?
  /// The messages since the prompt was sent.
  package var backlog: [ServerMessage]
  /// The counter from which to request missed events; `nil` if the backlog has it.
  package var anchor: Int?
  /// The agent that counts it; `nil` on servers that do not name agents.
  package var epoch: String?

  package init(
    socket: IntentWebSocket? = nil,
    backlog: [ServerMessage],
    anchor: Int? = nil,
    epoch: String? = nil
  ) {
    (self.socket, self.backlog) = (socket, backlog)
    (self.anchor, self.epoch) = (anchor, epoch)
  }
}

/// The messages that arrive before a prompt is known to be delivered.
///
/// The server decides how many they are. Beyond the limit none is kept, because a part of them
/// would be taken for the whole.
package struct EarlyMessages {
  /// In bytes as sent: far more than an agent writes until its prompt is acknowledged.
  static let limit = 8 << 20
  /// What a message takes besides its text.
  private static let overhead = 200

  package private(set) var messages: [ServerMessage] = []
  package private(set) var isCut = false
  private var size = 0

  package init() {}

  package mutating func append(_ message: ServerMessage, size: Int) {
    self.size += size + Self.overhead
    isCut = isCut || self.size > Self.limit
    if isCut { messages = [] } else { messages.append(message) }
  }
}
