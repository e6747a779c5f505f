// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A message to the server over a stream.
package enum ClientMessage: Sendable, Hashable {
  /// Starts the session's agent and subscribes to all of its events; replays the durable events
  /// after a sequence number if one is given.
  case subscribe(since: Int? = nil)
  /// Subscribes to starts, ends and requests only; does not start the session's agent.
  case subscribeToNotifications
  case unsubscribe
  case setThinkingLevel(ThinkingLevel)
  /// Changes the model, by the id that the server lists; it becomes the workspace's default.
  case setModel(String)
  case setSessionName(String)
  /// Starts a turn; `whenBusy` is `nil` on older servers, which lose it while another turn is running.
  case prompt(Prompt, whenBusy: WhenBusy? = nil)
  /// Queues a turn behind the running one.
  case followUp(Prompt)
  /// Sends a message to the running turn, delivered after its current tool calls.
  case steer(Prompt)
  /// Ends the running turn; does not release a tool call that waits for approval.
  case stop
  /// Ends the wait before another attempt after a failure, and the turn with it; a stop does not.
  case abortRetry
  /// Requests the messages queued behind the running turn; unknown to older servers.
  case getQueue
  /// Requests the agent's own commands.
  case getCommands
  case answer(questionID: String, QuestionAnswer)
  /// Decides a request on servers without a REST route for it.
  case decide(permissionID: String, PermissionDecision)

  /// What a prompt becomes while another turn is running.
  package enum WhenBusy: Sendable, Hashable {
    /// It waits for the end of the turn.
    case queue
    /// The running turn receives it when its current tool calls are over.
    case steer
  }

  package var isTurn: Bool {
    switch self {
    case .prompt, .followUp, .steer: true
    default: false
    }
  }

  /// The message's name in the protocol, which answers repeat as `command`.
  package var type: String {
    switch self {
    case .subscribe, .subscribeToNotifications: "subscribe"
    case .unsubscribe: "unsubscribe"
    case .setThinkingLevel: "set_thinking_level"
    case .setModel: "set_model"
    case .setSessionName: "set_session_name"
    case .prompt: "prompt"
    case .followUp: "follow_up"
    case .steer: "steer"
    case .stop: "stop"
    case .abortRetry: "abort_retry"
    case .getQueue: "get_queue"
    case .getCommands: "get_commands"
    case .answer: "extension_ui_response"
    case .decide: "permission_response"
    }
  }

  /// The message in JSON.
  ///
  /// `sessionID` is the target on a multiplexed stream and `nil` on a session's own stream or path;
  /// the server repeats `requestID` in its `command_result`.
  package func json(sessionID: String?, requestID: String) -> JSONValue {
    .object(
      members.adding([
        "type": .string(type), "sessionId": sessionID.map(JSONValue.string),
        "requestId": .string(requestID),
      ])
    )
  }

  private var members: JSONObject {
    switch self {
    case .subscribe(let sequence):
      ["level": "full", "sinceSeq": sequence.map { .integer(Int64($0)) }]
    case .subscribeToNotifications: ["level": "notifications"]
    case .unsubscribe, .stop, .abortRetry, .getQueue, .getCommands: [:]
    case .setThinkingLevel(let level): ["level": .string(level.rawValue)]
    case .setModel(let model): ["model": .string(model)]
    case .setSessionName(let name): ["name": .string(name)]
    case .prompt(let prompt, let whenBusy):
      prompt.members
        .adding(["streamingBehavior": whenBusy.map { $0 == .queue ? "followUp" : "steer" }])
    case .followUp(let prompt), .steer(let prompt): prompt.members
    case .answer(let questionID, let answer): answer.members.adding(["id": .string(questionID)])
    case .decide(let permissionID, let decision):
      [
        "id": .string(permissionID), "action": .string(decision.action),
        "scope": .string(decision.scope),
      ]
    }
  }
}

extension Prompt {
  /// The members of its message.
  fileprivate var members: JSONObject {
    [
      "message": .string(text),
      "clientTurnId": .string(clientTurnID),
      "images": images.isEmpty ? nil : .array(images.map(\.json)),
      "attachments": attachments.isEmpty ? nil : .array(attachments),
    ]
  }
}
