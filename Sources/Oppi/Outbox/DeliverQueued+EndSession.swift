// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

extension DeliverQueued {
  /// Ends the session of a delivered prompt after its turn, which frees one of the loaded sessions.
  ///
  /// The caller holds the prompt's lock. Returns the prompt if its session has ended; `nil` if the
  /// agent is still busy, or the server could not be queried.
  ///
  /// - Throws: If the prompt's file could not be written.
  func endSession(
    of prompt: QueuedPrompt,
    on server: PairedServer
  ) async throws(FileError) -> QueuedPrompt? {
    guard await isEnded(prompt, on: server) else { return nil }
    var prompt = prompt
    prompt.endsSession = false
    prompt.changedAt = context.now()
    try keep(prompt)
    return prompt
  }

  private func isEnded(_ prompt: QueuedPrompt, on server: PairedServer) async -> Bool {
    guard let id = prompt.session, let workspaceID = prompt.target.workspaceID else { return true }
    let deadline = context.loop.now + Fleet.limit
    do throws(IntentError) {
      let api = try await context.connections.client(for: server)
      let (session, _) = try await api.session(id, workspaceID: workspaceID, until: deadline)
      guard let current = try await api.liveSession(session, until: deadline) else { return true }
      let offset = try await api.pendingPermissions(until: deadline).clockOffset ?? .zero
      let now = context.now().moved(by: offset)
      guard EndIdleSessions.isAtRest(current, at: now) else { return false }
      try await api.stopSession(id, workspaceID: workspaceID, until: deadline)
      return true
    } catch .unknownSession {
      return true
    } catch {
      return false
    }
  }
}
