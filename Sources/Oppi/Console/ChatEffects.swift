// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiText
import OppiWire
import Synchronization

enum ChatTabEffect: TabEffect {
  /// Connect the chat to a session, instead of the one before.
  case open(ListedSession.ID)
  /// An effect of the chat with a session, over the stream that the chat knows.
  case perform(ChatEffect, ListedSession.ID, over: IntentWebSocket?)

  /// The chat itself knows what is not confirmed.
  var isChange: Bool { false }

  func perform(in console: ConsoleLoop) async {
    switch self {
    case .open(let id): await console.chat.open(id, console.report)
    case .perform(let effect, let id, let stream):
      await console.chat.perform(effect, of: id, over: stream, console.report)
    }
  }
}

enum ChatTabNews: TabNews {
  /// A session is wanted in the chat.
  case wanted(ListedSession.ID)
  /// The chat is connected to a session, whose requests are of a kind; has the earlier messages, the
  /// oldest first, and the models of the server.
  case opened(
    ListedSession.ID,
    Dialect.Requests,
    history: [String],
    models: [LanguageModel] = []
  )
  /// The chat with a session failed; the text is safe to show.
  case failed(ListedSession.ID, String)
  case changed(ListedSession.ID, ChatNews)
}

extension ConsoleEffect {
  static func chat(_ effect: ChatTabEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func chat(_ news: ChatTabNews) -> ConsoleNews { .own(news) }
}

/// The live connection of the console's chat: at most one, to the session that is shown.
final class ConsoleChatConnection: Sendable {
  private struct State {
    var id: ListedSession.ID?
    /// The number of the connection: the same session may be opened again.
    var number = 0
    var chat: ChatSession?
    /// Ends the previous connection.
    var end: AsyncStream<Void>.Continuation?
  }

  private let context: Context
  private let state = Mutex(State())

  init(in context: Context) { self.context = context }

  /// Follows a session until another one is opened or the task is cancelled; ends no turn.
  func open(_ id: ListedSession.ID, _ report: @escaping @Sendable (ConsoleNews) -> Void) async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let (previous, number) = state.withLock { state in
      let (previous, number) = (state.end, state.number + 1)
      state = State(id: id, number: number, end: end)
      return (previous, number)
    }
    previous?.finish()
    do {
      let found = try await context.services.located(id).session
      let chat = try await ChatSession(found, Config.load(in: context), in: context.services)
      let isCurrent = state.withLock { state in
        guard state.number == number else { return false }
        state.chat = chat
        return true
      }
      guard isCurrent else { return }
      let (history, models) = (chat.history, chat.models)
      report(.chat(.opened(id, chat.requests, history: history, models: models)))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await chat.follow(readingFirst: true) { report(.chat(.changed(id, $0))) }
        }
        group.addTask { for await _ in ends {} }
        defer { group.cancelAll() }
        _ = try await group.next()
      }
    } catch {
      guard !Task.isCancelled, state.withLock({ $0.number }) == number else { return }
      let text = OppiError(error).message.safeLine(limit: 200)
      report(.chat(.failed(id, "chat: \(text)")))
    }
  }

  /// Performs an effect of the chat with a session, over its stream; nothing if the chat is no longer
  /// with that session.
  func perform(
    _ effect: ChatEffect,
    of id: ListedSession.ID,
    over stream: IntentWebSocket?,
    _ report: @Sendable (ConsoleNews) -> Void
  ) async {
    let (current, chat) = state.withLock { ($0.id, $0.chat) }
    guard current == id, let chat else {
      if effect.needsServer { report(.failed("not sent: the chat with this session was closed")) }
      return
    }
    if let news = await chat.perform(effect, over: stream) { report(.chat(.changed(id, news))) }
  }
}

extension ChatEffect {
  /// Whether it sends something on behalf of the user.
  fileprivate var needsServer: Bool {
    switch self {
    case .deliver(.perform(.send, workspaceID: _, clientTurnID: _)), .stopTurn, .reply, .change:
      true
    default: false
    }
  }
}
