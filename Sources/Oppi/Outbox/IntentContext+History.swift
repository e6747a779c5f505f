// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension IntentContext {
  /// Sets the state in the history entry of a queued prompt.
  func settleHistory(of prompt: QueuedPrompt, as word: String) async {
    do {
      guard try config.load().keepsHistory else { return }
      try await history.settle(prompt.key, as: word, sessionID: prompt.session)
    } catch {
      await reporter.detail("could not write the history", because: error)
    }
  }

  /// Updates the history entry of a prompt that is no longer pending after an attempt.
  func settleHistory(of attempt: DeliverQueued.Attempt) async {
    guard !attempt.prompt.isOpen else { return }
    let word = attempt.outcome?.state.rawValue ?? attempt.prompt.stateWord
    await settleHistory(of: attempt.prompt, as: word)
  }

  /// Whether the outbox has a pending prompt.
  ///
  /// - Throws: `FileError` if the outbox or a prompt cannot be read.
  func hasOpenPrompt() throws(FileError) -> Bool {
    for key in try outbox.keys() where try outbox.load(key)?.isOpen(at: now()) == true {
      return true
    }
    return false
  }

  /// Returns the pending prompts for some sessions or conversations of a server.
  ///
  /// - Throws: `FileError` if the outbox or a prompt cannot be read.
  func queuedPrompts(
    on server: PairedServer,
    in threads: Set<QueuedPrompt.Place>
  ) throws(FileError) -> [QueuedPrompt] {
    guard !threads.isEmpty else { return [] }
    var prompts: [QueuedPrompt] = []
    for key in try outbox.keys() {
      guard let prompt = try outbox.load(key) else { continue }
      let isWaiting = prompt.isQueued && prompt.isOpen(at: now())
      if isWaiting, prompt.target.serverID == server.id, !threads.isDisjoint(with: prompt.threads) {
        prompts.append(prompt)
      }
    }
    return prompts
  }
}
