// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// A session that a person talks in, and what belongs to the conversation besides; it has no screen.
package struct ChatRoom: Sendable {
  /// What the session tells.
  package enum Event: Sendable {
    /// The stream over which the user's words leave from now on; `nil` while none stands.
    case stream(IntentWebSocket?)
    /// News, with how the server streams; `nil` while no stream stands.
    case step(TurnFollower.Step, TurnActivity, PairedServer.Dialect?)
  }

  package let link: ChatLink
  package let session: ServerSession
  /// Whether messages are kept for later chats.
  private let keepsHistory: Bool
  private let context: IntentContext

  /// Prepares a conversation in a session.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - keepsHistory: Whether messages are kept for later chats.
  ///   - context: What the flow may use.
  /// - Throws: `IntentError` if there is no way to the server.
  package init(
    _ session: ServerSession,
    keepsHistory: Bool,
    in context: IntentContext
  ) async throws(IntentError) {
    (self.session, self.keepsHistory, self.context) = (session, keepsHistory, context)
    let api = try await context.connections.client(for: session.server)
    link = ChatLink(session: session, api: api)
  }

  /// The messages of earlier chats, if they are kept.
  package var history: [String] { keepsHistory ? context.messageHistory.load() : [] }

  /// Keeps a message for later chats, if they are kept.
  package func remember(_ message: String) async {
    guard keepsHistory else { return }
    // A message that cannot be kept is sent all the same.
    try? await context.messageHistory.add(message)
  }

  /// Reads a part of the conversation as it stands now.
  package func page(_ reading: ChatReading) async -> ChatPage {
    await link.page(reading, at: context.now())
  }

  /// Finds out what a person should know beside a request.
  package func surroundings() async -> Surroundings {
    let listing = await context.cache.load()[session.server.id]
    let workspace = listing?.workspaces.first { $0.id == session.workspaceID }
    return Surroundings(clockOffset: try? await link.clockOffset(), folder: workspace?.folder)
  }

  /// Tells what happens in the session until the task is cancelled.
  ///
  /// - Throws: `IntentError` if the session cannot be followed, for good.
  package func follow(_ tell: (Event) -> Void) async throws {
    var follower = link.follower()
    do {
      while !Task.isCancelled {
        let step = try await follower.next(until: nil)
        tell(.stream(follower.stream))
        tell(.step(step, follower.activity, follower.stream?.dialect))
      }
    } catch {
      await follower.close()
      if !Task.isCancelled { throw error }
    }
    await follower.close()
  }

  /// Removes the session if nothing was ever said in it; what was used last is then what was before.
  ///
  /// - Parameter lastUsed: What was used last before the session was opened; `nil` if unknown.
  /// - Returns: Whether the session is gone.
  package func deleteUnused(after lastUsed: LastUsedStore.LastUsed?) async -> Bool {
    guard (try? await link.deleteUnused()) == true else { return false }
    if let lastUsed, let last = try? context.lastUsed.load(), last.sessionID == session.id {
      try? await context.lastUsed.store(lastUsed)
    }
    return true
  }
}

/// What a person should know beside a request.
package struct Surroundings: Sendable, Equatable {
  /// How far the server's clock is ahead; `nil` where the server does not say.
  package var clockOffset: Duration?
  /// The workspace's folder on the server's machine, safe to show; `nil` where it is not known.
  package var folder: String?

  package init(clockOffset: Duration?, folder: String?) {
    (self.clockOffset, self.folder) = (clockOffset, folder)
  }
}
