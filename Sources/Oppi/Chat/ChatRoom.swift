// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// A session in which a user chats, with the data around the conversation; independent of a screen.
struct ChatRoom: Sendable {
  /// An event of the session.
  enum Event: Sendable {
    /// The stream on which messages are sent from now on; `nil` without a stream.
    case stream(IntentWebSocket?)
    /// A step of the follower, with the kind of its stream; `nil` without a stream.
    case step(TurnFollower.Step, Turn, Dialect.Stream?)
  }

  let link: ChatLink
  let session: ServerSession
  /// Whether messages are kept for later chats.
  private let keepsHistory: Bool
  private let context: IntentContext

  /// Opens a conversation in a session.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - keepsHistory: Whether messages are kept for later chats.
  ///   - context: The files and connections.
  /// - Throws: `OppiError` if no connection to the server can be configured.
  init(
    _ session: ServerSession,
    keepsHistory: Bool,
    in context: IntentContext
  ) async throws(OppiError) {
    (self.session, self.keepsHistory, self.context) = (session, keepsHistory, context)
    let api = try await context.connections.client(for: session.server)
    link = ChatLink(session: session, api: api)
  }

  /// The messages of earlier chats, if they are kept.
  var history: [String] { keepsHistory ? context.messageHistory.usable()?.messages ?? [] : [] }

  /// Stores a message for later chats, if the history is kept.
  func remember(_ message: String) async {
    guard keepsHistory else { return }
    // The message is sent even if it cannot be stored.
    try? await context.messageHistory.update { $0.add(message) }
  }

  /// Reads a part of the conversation in its current state.
  func page(_ reading: ChatReading) async -> ChatPage {
    await link.page(reading, at: context.now())
  }

  /// Finds out what a user should know when deciding a request.
  func requestContext() async -> RequestContext {
    let listing = await context.cache.load()[session.server.id]
    let workspace = listing?.workspaces.first { $0.id == session.workspaceID }
    return RequestContext(clockOffset: try? await link.clockOffset(), folder: workspace?.folder)
  }

  /// Reports the events of the session until the task is cancelled; the text of a message is only in
  /// the changes.
  ///
  /// - Throws: `OppiError` if the session can never be followed.
  func follow(_ tell: (Event) -> Void) async throws {
    var follower = link.follower()
    do {
      while !Task.isCancelled {
        let step = try await follower.next(until: nil)
        tell(.stream(follower.feed.stream))
        var activity = follower.activity
        // While a chat holds the text, each piece would copy all of it.
        activity.text = ""
        tell(.step(step, activity, follower.feed.stream?.kind))
      }
    } catch {
      await follower.feed.close()
      if !Task.isCancelled { throw error }
    }
    await follower.feed.close()
  }

  /// Deletes the session if it has no message, and restores what was last used before it.
  ///
  /// - Parameter lastUsed: What was last used before the session was opened; `nil` if unknown.
  /// - Returns: Whether the session was deleted.
  func deleteUnused(after lastUsed: LastUsedStore.LastUsed?) async -> Bool {
    guard (try? await link.deleteUnused()) == true else { return false }
    if let lastUsed, let last = try? context.lastUsed.load(),
      last.sessionID == session.id, last.workspace.serverID == session.server.id
    {
      try? await context.lastUsed.store(lastUsed)
    }
    return true
  }
}

/// What a user should know when deciding a request.
struct RequestContext: Sendable, Equatable {
  /// How far the server's clock is ahead; `nil` if the server does not report its time.
  var clockOffset: Duration?
  /// The workspace's folder on the server's machine, safe to show; `nil` if unknown.
  var folder: String?
}

/// A part of the conversation to show again.
enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last turns before the turn with a number.
  case turns(before: Int?)
  /// The call with a number, with its full output.
  case call(Int)

  /// The maximum number of turns that are shown at once.
  static let turnCount = 3
  /// The maximum size of the turns that are shown at once; a single larger turn is shown alone.
  static let sizeLimit = 128 << 10
}

/// The result of reading a part of a conversation.
enum ChatPage: Sendable {
  /// Turns, the oldest first, in their state at a time.
  case turns([Turn], at: Timestamp)
  case call(ToolCallActivity)
  case noEarlierTurns
  /// No call has the number.
  case noCall(Int)
  case unreadable(because: any Error)
}

extension ChatLink {
  /// Reads a part of the conversation.
  func page(_ reading: ChatReading, at now: Timestamp) async -> ChatPage {
    do {
      let conversation = try await conversation()
      switch reading {
      case .turns(let number):
        let turns = conversation.transcript.turns(last: ChatReading.turnCount, before: number)
        return turns.isEmpty ? .noEarlierTurns : .turns(turns.fitting(), at: now)
      case .call(let number):
        guard var call = conversation.transcript.call(number) else { return .noCall(number) }
        if let output = try await wholeOutput(of: call) { call.recordedOutput = output }
        return .call(call)
      }
    } catch {
      return .unreadable(because: error)
    }
  }
}

extension [Turn] {
  /// The last turns that fit into the size limit, at least one.
  fileprivate func fitting() -> [Turn] {
    var size = 0
    return reversed().prefix { turn in
      defer { size += turn.size }
      return size == 0 || size + turn.size <= ChatReading.sizeLimit
    }
    .reversed()
  }
}
