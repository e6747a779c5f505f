// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
package import OppiModel
package import OppiSystem
import OppiText
import OppiTurns
package import OppiWire

/// The prompts that are queued or were sent under a key, one file each, in `outbox/`.
///
/// The next step is flushed to the file before it is performed.
package typealias OutboxStore = RecordFolder<OutboxKey, QueuedPrompt>

extension OutboxStore {
  init(paths: XDGPaths, files: FileStore) {
    self.init(
      paths.outboxFolder,
      in: files,
      // Enough for a prompt with images in a protocol message of 16 MiB.
      limit: 24 << 20,
      key: { $0.key },
      reason: "not a queued prompt"
    )
  }

  /// Runs the body with the prompt of a key, `nil` if there is none, while holding its lock.
  ///
  /// - Throws: `OppiError.promptBusy` if another process holds the lock for longer than
  ///   `lockTimeout`; `FileError`; what the body throws.
  func withPrompt<Value>(
    _ key: OutboxKey,
    lockTimeout: Duration,
    _ body: (QueuedPrompt?) async throws -> Value
  ) async throws -> Value {
    try await files.withLock(on: path(of: key), lockTimeout: lockTimeout) {
      try await body(load(key))
    } ifHeld: {
      throw OppiError.promptBusy(key)
    }
  }
}

/// Records in a prompt's own file that it is about to be sent, so that another process can determine
/// its state if this process ends.
struct OutboxJournal: Sendable {
  /// As its file has it, except for the workspace.
  private(set) var prompt: QueuedPrompt
  let outbox: OutboxStore
  let loop: EventLoop

  /// Notes the workspace of the prompt's session, which the next step records.
  mutating func locates(_ session: ServerSession) {
    prompt.target.workspaceID = session.workspaceID
    prompt.target.workspaceName = session.workspaceName
  }

  /// Notes that the prompt is about to be sent or sent again; `elapsed` is the time since it was
  /// first sent, zero on the first attempt.
  ///
  /// - Throws: If the record could not be written; the prompt is not sent.
  mutating func departs(
    _ departure: PromptDelivery.SendRecord,
    to sessionID: String,
    since elapsed: Duration
  ) throws(FileError) {
    let now = loop.machineTime()
    var noted = prompt
    if noted.target.sessionID == nil { noted.sessionID = sessionID }
    noted.mayHaveSession = false
    noted.become(.departed(departure, at: now.moved(by: .zero - elapsed)), at: now.timeOfDay)
    try outbox.save(noted)
    prompt = noted
  }

  /// Notes that the request is about to be sent, or sent again, that creates the session with the
  /// prompt.
  ///
  /// - Throws: If the record could not be written; the request is not made.
  mutating func launches() throws(FileError) {
    // The moment of the first request is kept.
    if case .launched = prompt.state { return }
    let now = loop.machineTime()
    var noted = prompt
    noted.mayHaveSession = false
    noted.become(.launched(at: now), at: now.timeOfDay)
    try outbox.save(noted)
    prompt = noted
  }
}

extension Services {
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
    let word = attempt.outcome?.state.rawValue ?? attempt.prompt.state.word
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
    in threads: Set<QueuedPrompt.Thread>
  ) throws(FileError) -> [QueuedPrompt] {
    guard !threads.isEmpty else { return [] }
    return try queuedPrompts(on: server).filter { !threads.isDisjoint(with: $0.threads) }
  }

  /// Returns the pending prompts for a server.
  ///
  /// - Throws: `FileError` if the outbox or a prompt cannot be read.
  package func queuedPrompts(on server: PairedServer) throws(FileError) -> [QueuedPrompt] {
    var prompts: [QueuedPrompt] = []
    for key in try outbox.keys() {
      guard let prompt = try outbox.load(key) else { continue }
      let isWaiting = prompt.isQueued && prompt.isOpen(at: now())
      if isWaiting, prompt.target.serverID == server.id { prompts.append(prompt) }
    }
    return prompts
  }
}

extension Services {
  package var outbox: OutboxStore { OutboxStore(paths: paths, files: files) }
}
