// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// How a chat looks on a terminal.
protocol ChatFace: TerminalFace<ChatNews, ChatEffect> {
  /// The conversation as it stands.
  var state: ChatState { get }
}

extension TerminalProgram: ChatFace where Content == ChatScreen {
  var state: ChatState { screen.state }
}

/// An open conversation: what the terminal and the session tell, one after the other, and what is
/// done about it.
struct ChatRoom {
  /// What the conversation gets, in order.
  private enum Event {
    case input(TerminalInput<ChatNews>)
    /// The stream over which effects are performed from now on.
    case stream(IntentWebSocket?)
  }

  /// A conversation that could not go on.
  struct Broken: Error {
    /// How it stood then.
    let state: ChatState
    let cause: any Error
  }

  let link: ChatLink
  private let session: ServerSession
  private let wishes: ChatWishes
  private let context: Context
  /// Whether messages are kept for later chats.
  private let keepsHistory: Bool

  /// Prepares a conversation in a session.
  ///
  /// - Throws: Where a setting cannot be used, or there is no way to the server.
  init(
    _ session: ServerSession,
    wishes: ChatWishes = ChatWishes(),
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws {
    (self.session, self.wishes, self.context) = (session, wishes, context)
    keepsHistory = try settings.value(of: .history) != Truth.false
    let api = try await context.connections.client(for: session.server)
    link = ChatLink(session: session, api: api)
  }

  /// Holds the conversation until the user leaves it.
  ///
  /// - Parameter isResumed: Whether something may have been said in the session before, which is
  ///   shown first.
  /// - Returns: How it stood then.
  /// - Throws: `Broken` where the session cannot be followed, for good.
  func run(isResumed: Bool = false) async throws -> ChatState {
    await context.console.status(context.introduction(of: session))
    var face = try makeFace(history: keepsHistory ? context.messageHistory.load() : [])
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
              let page = await link.page(.turns(before: nil), at: context.now())
              continuation.yield(.input(.news(.page(page))))
            }
            try await follow { continuation.yield($0) }
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
                guard let news = await perform(effect, over: stream) else { return }
                continuation.yield(.input(.news(news)))
              }
            }
            if reaction.isOver { return }
          }
        }
      }
    } catch {
      throw Broken(state: face.state, cause: error)
    }
    return face.state
  }

  private func makeFace(history: [String]) throws -> any ChatFace {
    var state = ChatState(sessionID: session.id) { [loop = context.loop] in loop.newID() }
    state.wishes = wishes
    let isDumb = ["", "dumb"].contains(context.environment["TERM"] ?? "")
    return isDumb
      ? try LineFace(ChatLines(state), in: context)
      : try TerminalProgram(ChatScreen(state, history: history), in: context)
  }

  private func perform(_ effect: ChatEffect, over stream: IntentWebSocket?) async -> ChatNews? {
    switch effect {
    case .remember(let text):
      guard keepsHistory else { return nil }
      // A message that cannot be kept is sent all the same.
      try? await context.messageHistory.add(text)
      return nil
    case .read(let reading): return .page(await link.page(reading, at: context.now()))
    case .lookAround: return .surroundings(await surroundings())
    default: return await link.perform(effect, over: stream)
    }
  }

  private func surroundings() async -> Surroundings {
    let listing = await context.cache.load()[session.server.id]
    let workspace = listing?.workspaces.first { $0.id == session.workspaceID }
    return Surroundings(clockOffset: try? await link.clockOffset(), folder: workspace?.folder)
  }

  private func follow(_ tell: (Event) -> Void) async throws {
    var follower = link.follower()
    do {
      while !Task.isCancelled {
        let step = try await follower.next(until: nil)
        tell(.stream(follower.stream))
        tell(.input(.news(.step(step, follower.activity, follower.stream?.dialect))))
      }
    } catch {
      await follower.close()
      if !Task.isCancelled { throw error }
    }
    await follower.close()
  }
}
