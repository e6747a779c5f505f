// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// An open conversation on a terminal: handles the events of the terminal and the session in order.
struct ChatSession {
  let room: ChatRoom
  private let chatSettings: ChatSettings
  private let context: Context

  /// Opens a conversation in a session.
  ///
  /// - Throws: If a setting is invalid, or no connection to the server can be configured.
  init(
    _ session: ServerSession,
    chatSettings: ChatSettings = ChatSettings(),
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws {
    let context = try context.applying(settings)
    (self.chatSettings, self.context) = (chatSettings, context)
    room = try await ChatRoom(session, settings, in: context.intents)
  }

  /// Runs the conversation until the user leaves it.
  ///
  /// - Parameter isResumed: Whether the session may already have turns, which are then shown first.
  /// - Returns: The final state, and why the conversation ended if the session can never be followed.
  /// - Throws: If the terminal cannot be used.
  func run(isResumed: Bool) async throws -> (state: ChatState, failure: (any Error)?) {
    await context.inWords.announceMode()
    await context.output.status(context.introduction(of: room.session))
    var state = ChatState(sessionID: room.session.id, requests: room.requests) {
      [loop = context.loop] in loop.newID()
    }
    state.chatSettings = chatSettings
    guard context.output.policy.canDraw else {
      let program = try LineProgram(in: context) { ChatLines(state, width: $0) }
      return await run(program, isResumed: isResumed) { $0.screen.state }
    }
    let screen = ChatScreen(state, history: room.history, links: context.output.policy.links)
    let program = try TerminalProgram(screen, in: context)
    return await run(program, isResumed: isResumed) { $0.screen.state }
  }

  private func run<Face: TerminalFace<ChatNews, ChatEffect>>(
    _ face: Face,
    isResumed: Bool,
    state: (Face) -> ChatState
  ) async -> (state: ChatState, failure: (any Error)?) {
    var (face, failure): (Face, (any Error)?) = (face, nil)
    let (inputs, post) = AsyncStream<TerminalInput<ChatNews>>.makeStream()
    let follow = { @Sendable [room] in
      do {
        try await room.follow(readingFirst: isResumed) { post.yield(.news($0)) }
      } catch {
        post.yield(.failed(error))
      }
    }
    do {
      _ = try await face.run(inputs, post, beside: [follow]) { [room] face, effect in
        let stream = state(face).stream
        return {
          if let news = await room.perform(effect, over: stream) { post.yield(.news(news)) }
        }
      }
    } catch {
      failure = error
    }
    return (state(face), failure)
  }
}
