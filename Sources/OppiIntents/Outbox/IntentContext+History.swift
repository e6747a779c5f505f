// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

extension IntentContext {
  /// Completes the history entry of a prompt of the outbox.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - word: The state that the history shows.
  func settleHistory(of prompt: QueuedPrompt, as word: String) async {
    do {
      guard try config.load().keepsHistory else { return }
      try await history.settle(prompt.key, as: word, sessionID: prompt.session)
    } catch {
      await reporter.detail("could not write the history", because: error)
    }
  }

  /// Completes the history entry of a prompt that an attempt has closed.
  func settleHistory(of attempt: DeliverQueued.Attempt) async {
    guard !attempt.prompt.isOpen else { return }
    let word = attempt.outcome?.state.rawValue ?? attempt.prompt.stateWord
    await settleHistory(of: attempt.prompt, as: word)
  }

  /// Finds the prompts of the outbox that wait for some sessions or conversations.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - threads: The sessions and conversations.
  /// - Returns: The prompts, by their keys.
  /// - Throws: `FileError` if the outbox or a prompt cannot be read.
  package func queuedPrompts(
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
