// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Reads and stops sessions of the console; starts no agent.
struct ConsoleSessions: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// The last turns of a session.
  ///
  /// - Throws: `IntentError` if the server cannot be queried; ``ApprovalError`` if it is no longer
  ///   paired; `FileError`.
  func turns(_ count: Int, of id: BoardSession.ID) async throws -> [PastTurn] {
    let found = try ConsoleReply(in: context).session(id)
    let api = try await context.connections.client(for: found.server)
    let session = try await SessionGlance.located(found, api: api)
    let reading = ReadConversation(api: api, words: context.turnWords)
    let conversation = try await reading.read(session)
    return try await reading.turns(count, of: conversation.transcript)
  }

  /// Stops the running turn of a session; the session stays.
  ///
  /// - Throws: As ``turns(_:of:)``.
  func stop(_ id: BoardSession.ID) async throws -> StopTurn.Outcome {
    let session = try ConsoleReply(in: context).session(id)
    let api = try await context.connections.client(for: session.server)
    return try await StopTurn(api: api, timeout: context.timeout).stopTurn(of: session)
  }
}
