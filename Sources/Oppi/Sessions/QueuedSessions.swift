// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import Synchronization

/// The sessions for which prompts are in the outbox.
final class QueuedSessions: Sendable {
  private let context: IntentContext
  /// By the keys of the prompts that were read; `nil` for a prompt without a session.
  private let known = Mutex<[OutboxKey: SessionPlace?]>([:])

  init(in context: IntentContext) {
    self.context = context
  }

  /// Whether a prompt is queued for a session; reads the prompts that were added since.
  ///
  /// - Throws: If a prompt cannot be read, because it may be for the session.
  func hold(_ sessionID: String, on serverID: Fingerprint) throws(FileError) -> Bool {
    for key in try context.outbox.keys() where known.withLock({ $0[key] }) == nil {
      let place = try context.outbox.load(key).flatMap(place)
      known.withLock { $0[key] = .some(place) }
    }
    let place = SessionPlace(serverID: serverID, sessionID: sessionID)
    return known.withLock { $0.values.contains(place) }
  }

  /// The session of an undelivered prompt, or the one that it continues.
  private func place(of queued: QueuedPrompt) throws(FileError) -> SessionPlace? {
    var prompt = queued
    prompt.expire(at: context.now())
    guard !prompt.isDone else { return nil }
    var session = prompt.session
    if session == nil, let shortcut = prompt.conversation, let workspace = prompt.target.workspace {
      session = try context.shortcutSessions.session(of: shortcut, in: workspace)
    }
    return session.map { SessionPlace(serverID: prompt.target.serverID, sessionID: $0) }
  }
}
