// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// The settings to apply to a new chat session; `nil` members keep the server's defaults.
struct ChatWishes: Sendable {
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
  /// Once connected, requests the thinking level, and reports a model that the server replaced.
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
