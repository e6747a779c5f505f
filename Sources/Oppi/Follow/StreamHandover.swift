// SPDX-License-Identifier: MIT

import OppiModel

/// The state of a prompt that the server has.
struct AskOutcome: Sendable, Equatable {
  /// The last step of the prompt that is known.
  var state: PromptDelivery.Progress
  var sessionID: String
  /// The id under which it was accepted.
  var clientTurnID: String
  /// What the server reports about the session.
  var place = PromptDelivery.Place()
  /// The stream that the server actually has.
  var stream: Dialect.Stream

  /// The session that has the prompt.
  func session(on server: PairedServer) -> ServerSession {
    var server = server
    server.learn(stream)
    return ServerSession(
      server: server,
      id: sessionID,
      workspaceID: place.workspaceID,
      workspaceName: place.workspaceName
    )
  }

  /// Whether its agent is Pi, as all agents of servers without device keys are.
  func isOfPi(on server: PairedServer) -> Bool {
    place.isPi ?? (server.dialect?.credential != .deviceKey)
  }

  /// The composite id of its workspace; `nil` if the server did not name it.
  func workspace(on server: PairedServer) -> WorkspaceReference? {
    place.workspaceID.flatMap { WorkspaceReference(serverID: server.id, workspaceID: $0) }
  }
}

/// A prompt that the server has, and the stream of its turn if the turn is awaited.
typealias AskDelivery = (outcome: AskOutcome, stream: OpenStream?)

/// A subscription to a session, and the messages received over it so far.
struct OpenStream: Sendable {
  /// `nil` if the connection was lost.
  var socket: IntentWebSocket?
  /// The messages since the prompt was sent.
  var backlog: [ServerMessage]
  /// The counter from which to request missed events; `nil` if the backlog has it.
  var anchor: Int?
  /// The agent that counts it; `nil` on servers that do not name agents.
  var epoch: String?
}

/// The messages that arrive before a prompt is known to be delivered.
///
/// The server decides how many they are. Beyond the limit none is kept, because a part of them
/// would be taken for the whole.
struct HandoverBacklog {
  /// In bytes as sent: far more than an agent writes until its prompt is acknowledged.
  static let limit = 8 << 20
  /// What a message takes besides its text.
  private static let overhead = 200

  private(set) var messages: [ServerMessage] = []
  private(set) var isCut = false
  private var size = 0

  mutating func append(_ message: ServerMessage, size: Int) {
    self.size += size + Self.overhead
    isCut = isCut || self.size > Self.limit
    if isCut { messages = [] } else { messages.append(message) }
  }
}
