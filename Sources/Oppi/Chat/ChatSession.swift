// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// An open conversation on a terminal: handles the events of the terminal and the session in order.
struct ChatSession {
  /// An event of the conversation.
  private enum Event {
    case input(TerminalInput<ChatNews>)
    /// The stream for effects from now on.
    case stream(IntentWebSocket?)
  }

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
    var face = face
    defer { face.restore() }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        let source = face.source
        group.addTask { await source { continuation.yield(.input($0)) } }
        group.addTask {
          do {
            if isResumed {
              let page = await room.page(.turns(before: nil))
              continuation.yield(.input(.news(.page(page))))
            }
            try await room.follow { stream, news in
              continuation.yield(.stream(stream))
              continuation.yield(.input(.news(news)))
            }
          } catch {
            continuation.yield(.input(.failed(error)))
          }
        }
        var stream: IntentWebSocket?
        for await event in events {
          switch event {
          case .stream(let present): stream = present
          case .input(let input):
            let reaction = try await face.handle(input)
            for effect in reaction.effects {
              group.addTask { [stream] in
                guard let news = await room.perform(effect, over: stream) else { return }
                continuation.yield(.input(.news(news)))
              }
            }
            if reaction.isOver { return }
          }
        }
      }
    } catch {
      return (state(face), error)
    }
    return (state(face), nil)
  }
}
