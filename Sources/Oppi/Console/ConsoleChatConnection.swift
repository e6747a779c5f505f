// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem
import Synchronization

/// The live connection of the console's chat: at most one, to the session that is shown.
final class ConsoleChatConnection: Sendable {
  private struct State {
    var id: BoardSession.ID?
    /// The number of the connection: the same session may be opened again.
    var number = 0
    var room: ChatRoom?
    var stream: IntentWebSocket?
    /// Ends the previous connection.
    var end: AsyncStream<Void>.Continuation?
  }

  private let context: Context
  private let state = Mutex(State())

  init(in context: Context) { self.context = context }

  /// Follows a session until another one is opened or the task is cancelled; ends no turn.
  func open(_ id: BoardSession.ID, _ tell: @escaping @Sendable (ConsoleNews) -> Void) async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let (previous, number) = state.withLock { state in
      let (previous, number) = (state.end, state.number + 1)
      state = State(id: id, number: number, end: end)
      return (previous, number)
    }
    previous?.finish()
    do {
      let room = try await room(of: id)
      let isCurrent = state.withLock { state in
        guard state.number == number else { return false }
        state.room = room
        return true
      }
      guard isCurrent else { return }
      let requests = room.session.server.dialect?.requests ?? .permissions
      tell(.chatOpened(id, ChatSetup(requests: requests, history: room.history)))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [self] in
          tell(.chat(id, .page(await room.page(.turns(before: nil)))))
          try await room.follow { event in
            switch event {
            case .stream(let stream):
              state.withLock { if $0.number == number { $0.stream = stream } }
            case .step(let step, let activity, let kind):
              tell(.chat(id, .step(step, activity, kind)))
            }
          }
        }
        group.addTask { for await _ in ends {} }
        defer { group.cancelAll() }
        _ = try await group.next()
      }
    } catch {
      guard !Task.isCancelled, state.withLock({ $0.number }) == number else { return }
      tell(.chatFailed(id, "chat: \(OppiError(error).message.safeLine(limit: 200))"))
    }
  }

  private func room(of id: BoardSession.ID) async throws -> ChatRoom {
    let found = try await ConsoleReply(in: context.intents).located(id)
    let settings = try await Config.load(in: context)
    let keepsHistory = try settings.value(of: .history) != BooleanSetting.false
    return try await ChatRoom(found, keepsHistory: keepsHistory, in: context.intents)
  }

  /// Performs an effect of the chat with a session, over its present stream; nothing if the chat is
  /// no longer with that session.
  func perform(
    _ effect: ChatEffect,
    of id: BoardSession.ID,
    _ tell: @Sendable (ConsoleNews) -> Void
  ) async {
    let (current, room, stream) = state.withLock { ($0.id, $0.room, $0.stream) }
    guard current == id, let room else {
      if effect.needsServer { tell(.note("not sent: the chat with this session was closed")) }
      return
    }
    let news: ChatNews?
    switch effect {
    case .remember(let text):
      await room.remember(text)
      news = nil
    case .read(let reading): news = .page(await room.page(reading))
    case .lookAround: news = .requestContext(await room.requestContext())
    default: news = await room.link.perform(effect, over: stream)
    }
    if let news { tell(.chat(id, news)) }
  }
}

extension ChatEffect {
  /// Whether it sends something on behalf of the user.
  fileprivate var needsServer: Bool {
    switch self {
    case .perform(.send), .stopTurn, .reply, .change: true
    default: false
    }
  }
}
