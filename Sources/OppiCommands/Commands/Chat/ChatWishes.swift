// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// What a session that is opened to type in is to be like; nothing where it may be as it comes.
struct ChatWishes: Sendable {
  /// The model that the session was asked for with.
  var model: String?
  /// Where the model was named.
  var modelSource: ValueSource?
  /// The level at which the model is to think.
  var thinking: ThinkingLevel?

  init() {}

  /// Takes what a workspace has of its own: the settings for all are for what `ask` makes.
  init(_ settings: WorkspaceSettings) throws {
    model = try settings.ownValue(of: .model)
    modelSource = try settings.source(of: .model)
    thinking = try settings.ownValue(of: .thinking)
  }
}

extension OpenNewSession {
  /// Creates the session with what it is to be like.
  func open(in workspace: WorkspaceReference, _ wishes: ChatWishes) async throws -> ServerSession {
    do {
      return try await open(in: workspace, model: wishes.model)
    } catch {
      guard case .unknownModel = error, let source = wishes.modelSource else { throw error }
      throw OppiError(error).tracing(source)
    }
  }
}

extension ChatState {
  /// Asks for the level, and says where the model is another one, once the session can be heard.
  mutating func seeToWishes() -> [ChatEffect] {
    guard !isAway, let session else { return [] }
    let wishes = wishes
    self.wishes = ChatWishes()
    var effects: [ChatEffect] = []
    if let model = wishes.model, let taken = session.model, taken != model {
      let source = wishes.modelSource.map { " (from \($0.words))" } ?? ""
      let line =
        "the server has no model '\(model.safeLine(limit: 120))'\(source) and uses \(taken)"
      effects.append(.print([StyledText(line, .warning)]))
    }
    if let level = wishes.thinking {
      effects += request(.setThinkingLevel(level), saying: "thinking: \(level.rawValue)")
    }
    return effects
  }
}
