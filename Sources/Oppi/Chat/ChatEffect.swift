// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// An action for the loop of the chat.
enum ChatEffect: Sendable, Equatable {
  /// An action for a message in delivery.
  case deliver(OutgoingMessages.Effect)
  case stopTurn
  case reply(RequestReply, to: HumanRequest)
  /// A change of the session, under the id that the server's result repeats.
  case change(ClientMessage, id: String)
  /// Read the context of a request.
  case readRequestContext
  /// Request a list for completion.
  case list(CompletionList)
  /// Read an image file for the next message.
  case attach(ImageFile)
  /// Open another session in place of this one.
  case open(ChatOpening)
  /// Write the conversation to a new file.
  case export(String)
  /// Show a part of the conversation again.
  case read(ChatReading)
  /// Add a message to the history of messages.
  case remember(String)
  /// A notice, which the next one replaces.
  case say(String)
  /// Lines that stay.
  case print([StyledText])
  /// A message of a user that the session has.
  case printMessage(String, imageCount: Int)
  /// List the commands, and the keys where there are some.
  case help
  /// Offer the sessions that a command opens.
  case choose(ChatCommand)
  /// Return an undelivered message to the composer.
  case giveBack(String)
  /// Insert a text into the composer as a paste.
  case insert(String)
  case leave
}

/// What a server lists for completion.
enum CompletionList: Sendable, Equatable {
  /// The agent's commands, in a result with the id.
  case commands(id: String)
  /// The files of the workspace.
  case files
  /// The sessions of the server.
  case sessions
}

/// An event for a chat.
enum ChatNews: Sendable {
  /// A step of the session, and the stream on which messages are sent from now on; `nil` while none
  /// is open.
  case step(SessionNews, Turn, IntentWebSocket?)
  /// The result of a stop, a decision, an answer or a change.
  case performed(ChatResult)
  /// The result of an action for the message with the id.
  case delivery(PromptDelivery.Event, for: String)
  case requestContext(RequestContext)
  case page(ChatPage)
  /// The paths of the workspace's files; `nil` if the server could not be asked.
  case files([String]?)
  /// The sessions of the server; empty if it could not be asked.
  case sessions([Session])
  /// The image of the file with the id.
  case attached(Result<ChatImage, OppiError>, id: String)
  case opened(Result<ChatDestination, OppiError>)
}

/// The result of an effect.
struct ChatResult: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case stop
    /// An answer to the request or question with the id.
    case answer(id: String)
    /// A change of the session under the id.
    case change(id: String)
    case export
  }

  enum Outcome: Sendable, Equatable {
    /// The server accepted it, as far as it reports.
    case holds
    /// The request was already settled.
    case tooLate
    case failed
    /// It was sent, and the result is unknown.
    case unknown
  }

  var kind: Kind
  /// The text to show, if any.
  var text: String?
  var outcome = Outcome.holds
  /// The line about a reply that stays.
  var line: StyledText?
  /// What is now pending under the id of the request or question that was answered.
  var present: HumanRequest?
}

extension SessionNews {
  /// The changes of the turn, in order.
  var changes: [ActivityChange] {
    switch self {
    case .changes(let changes, _), .past(let changes): changes
    case .caughtUp, .renewing, .lost, .givenUp: []
    }
  }

  /// The notices about the connection.
  var notices: [ChatEffect] {
    switch self {
    case .lost(let error), .givenUp(let error): [.say("connection lost: \(error.message)")]
    case .caughtUp(let catchUp) where !catchUp.isFirst && !catchUp.isRenewal: [.say("reconnected")]
    case .changes, .past, .caughtUp, .renewing: []
    }
  }

  /// Whether it has the result of a request, which may list something.
  var hasResult: Bool {
    if case .changes(_, of: let message?) = self, case .commandResult = message.kind {
      true
    } else {
      false
    }
  }

  /// What a user who looks at another window should know; nothing about the past.
  var calls: [String] {
    if case .changes(let changes, _) = self { changes.compactMap(\.call) } else { [] }
  }
}

extension ActivityChange {
  /// Whether a call started or ended.
  var isOfCall: Bool {
    switch self {
    case .toolStarted, .toolFinished: true
    default: false
    }
  }

  fileprivate var call: String? {
    switch self {
    case .turnFinished(let outcome, _): outcome.failure?.sentence ?? "the turn has finished"
    default: need.map { "\($0.needs.state): \($0.line)" }
    }
  }
}

/// The settings to apply to a new chat session; `nil` members keep the server's defaults.
struct ChatSettings: Sendable {
  /// The model that the session was requested with.
  var model: String?
  /// Where the model was specified.
  var modelSource: ValueSource?
  var thinking: ThinkingLevel?

  init() {}

  /// Reads only the workspace's own settings; those for all workspaces apply to `ask`.
  init(_ settings: WorkspaceSettings) throws {
    model = try settings.ownValue(of: .model)
    modelSource = try settings.source(of: .model)
    thinking = try settings.ownValue(of: .thinking)
  }
}

extension OpenNewSession {
  /// Creates a session with the requested model.
  func open(in workspace: WorkspaceReference, _ chatSettings: ChatSettings) async throws
    -> ServerSession
  {
    do {
      let (model, level) = (chatSettings.model, chatSettings.thinking)
      return try await open(in: workspace, model: model, thinking: level)
    } catch {
      guard error.reason == .unknownModel, let source = chatSettings.modelSource else {
        throw error
      }
      throw error.tracing(source)
    }
  }
}

extension ChatState {
  /// Once connected, requests the thinking level, and reports a model that the server replaced.
  mutating func applySettings() -> [ChatEffect] {
    guard !isAway, let session else { return [] }
    let chatSettings = chatSettings
    self.chatSettings = ChatSettings()
    var effects: [ChatEffect] = []
    if let model = chatSettings.model, let taken = session.model, taken != model {
      let source = chatSettings.modelSource.map { " (from \($0.words))" } ?? ""
      let line =
        "the server has no model '\(model.safeLine(limit: 120))'\(source) and uses \(taken)"
      effects.append(.print([StyledText(line, .warning)]))
    }
    if let level = chatSettings.thinking {
      effects += request(.setThinkingLevel(level), saying: "thinking: \(level.rawValue)")
    }
    return effects
  }
}
