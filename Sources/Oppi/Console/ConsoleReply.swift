// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Replies to requests of the console, and sends messages to sessions.
struct ConsoleReply: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// Replies to a request as it was shown, if it is still pending and unchanged.
  func reply(
    _ reply: RequestReply,
    to request: BoardRequest
  ) async -> Result<DecisionOutcome, any Error> {
    await DecideNamed(reply, in: context).decide(asShown: request.request, of: request.id.serverID)
  }

  /// Sends a message to a session; while the agent works, the message is queued behind its turn.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the message; else as ``located(_:)``.
  func send(_ text: String, to session: BoardSession.ID) async throws {
    let target = try await located(session)
    let request = AskRequest(
      Prompt(text),
      to: .session(target),
      clientTurnID: context.loop.newID()
    )
    _ = try await AskRun(request, waiting: nil, in: context).handOver()
  }

  /// The session on its server, with its workspace.
  ///
  /// - Throws: As ``session(_:)``; `IntentError` if the server cannot be queried, or does not know it.
  func located(_ id: BoardSession.ID) async throws -> ServerSession {
    let found = try session(id)
    let api = try await context.connections.client(for: found.server)
    return try await SessionGlance.located(found, api: api)
  }

  /// The session on its server.
  ///
  /// - Throws: ``ApprovalError`` if the server is no longer paired; `FileError`.
  func session(_ id: BoardSession.ID) throws -> ServerSession {
    let servers = try context.serverStore.load().servers
    guard let server = servers.first(where: { $0.id == id.serverID }) else {
      throw ApprovalError.serverNotPaired
    }
    return ServerSession(server: server, id: id.sessionID)
  }
}
