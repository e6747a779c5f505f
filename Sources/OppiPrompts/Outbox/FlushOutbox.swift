// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
package import OppiSystem
import OppiText
package import OppiWire

/// Delivers queued prompts: those of one server in order, oldest first, and all servers
/// concurrently; skips prompts that another process holds.
package struct FlushOutbox: Sendable {
  /// Which prompts to try.
  package enum Choice: Sendable {
    /// All pending prompts.
    case all
    /// Those whose retry time has come.
    case due
    /// Records expired prompts; sends nothing.
    case late
    case server(Fingerprint, isDueOnly: Bool)
    case key(OutboxKey)
  }

  /// The result for one prompt.
  package enum Step: Sendable {
    case tried(DeliverQueued.Attempt)
    /// Its session was ended after its turn, as requested.
    case sessionEnded(QueuedPrompt)
    case notPaired(QueuedPrompt)
    /// Another process holds it.
    case busy(OutboxKey)
    /// Its file is damaged, or cannot be read or written.
    case unusable(OutboxKey, FileError)
  }

  /// How long a delivered prompt's key is kept.
  static let memory = Duration.seconds(30 * 24 * 3600)

  package let servers: [PairedServer]
  package let context: Services

  package init(servers: [PairedServer], context: Services) {
    (self.servers, self.context) = (servers, context)
  }
  private var delivery: DeliverQueued { DeliverQueued(context: context) }
  private var outbox: OutboxStore { context.outbox }
  private var loop: EventLoop { context.loop }

  /// Tries the prompts, and passes each result to `onStep` as it comes.
  ///
  /// - Throws: If the outbox cannot be listed.
  package func run(_ choice: Choice, onStep: (Step) async -> Void) async throws(FileError) {
    outbox.removeLeftovers()
    var queues: [Fingerprint: [QueuedPrompt]] = [:]
    for key in try outbox.keys() {
      do throws(FileError) {
        guard let prompt = try outbox.load(key), concerns(prompt, choice) else { continue }
        queues[prompt.target.serverID, default: []].append(prompt)
      } catch {
        await onStep(.unusable(key, error))
      }
    }
    let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [queues] in
        await withTaskGroup(of: Void.self) { group in
          for queue in Self.oldestFirst(queues) {
            group.addTask {
              await work(through: queue, choice) { step in
                // Recorded here, because after a cancellation no step is received below.
                if case .tried(let attempt) = step { await context.settleHistory(of: attempt) }
                continuation.yield(step)
              }
            }
          }
        }
        continuation.finish()
      }
      for await step in steps { await onStep(step) }
    }
  }

  /// The prompts of each server, oldest first; the server with the oldest prompt is the first.
  private static func oldestFirst(_ queues: [Fingerprint: [QueuedPrompt]]) -> [[QueuedPrompt]] {
    queues.values.map { $0.sorted(by: isOlder) }.sorted { isOlder($0[0], $1[0]) }
  }

  private static func isOlder(_ one: QueuedPrompt, _ other: QueuedPrompt) -> Bool {
    (one.createdAt, one.key) < (other.createdAt, other.key)
  }

  /// Whether the prompt is to be tried, or blocks one that is.
  private func concerns(_ prompt: QueuedPrompt, _ choice: Choice) -> Bool {
    switch choice {
    case .all, .due: !prompt.isDone || prompt.isForgotten(at: loop.timestamp())
    case .late: prompt.isLate(at: loop.timestamp())
    case .server(let id, _): prompt.target.serverID == id
    case .key(let key): prompt.key == key
    }
  }

  private func isWanted(_ prompt: QueuedPrompt, _ choice: Choice) -> Bool {
    let now = loop.timestamp()
    if prompt.isForgotten(at: now) { return true }
    guard !prompt.isDone else { return false }
    return switch choice {
    case .due, .server(_, isDueOnly: true): prompt.isDue(at: now)
    case .late: prompt.isLate(at: now)
    case .all, .server: !prompt.isHeldBack(at: now) || prompt.isLate(at: now)
    case .key: true
    }
  }

  /// Tries one server's prompts in order; if the server is unreachable, only records those that
  /// expired.
  private func work(
    through queue: [QueuedPrompt],
    _ choice: Choice,
    _ report: @Sendable (Step) async -> Void
  ) async {
    // A later prompt must not overtake an earlier one of its session, and a full workspace has no
    // room for the next prompt.
    var held: Set<QueuedPrompt.Thread> = []
    var choice = choice
    for prompt in queue {
      guard !Task.isCancelled else { return }
      let isHeld =
        prompt.isOpen(at: loop.timestamp()) && !held.isDisjoint(with: prompt.places)
      guard isWanted(prompt, choice), !isHeld else {
        if prompt.isOpen { held.formUnion(prompt.threads) }
        continue
      }
      let step: Step?
      do {
        step = try await outbox.claim(prompt.key) { [choice] () async throws(FileError) in
          try await take(prompt.key, choice)
        }
      } catch .lockHeld {
        step = .busy(prompt.key)
      } catch {
        step = .unusable(prompt.key, error)
      }
      guard let step else {
        // Another process held it, and may have postponed it.
        if mayBePending(prompt.key) { held.formUnion(prompt.threads) }
        continue
      }
      await report(step)
      if step.isOpen { held.formUnion(prompt.threads) }
      if step.isFull { held.formUnion(prompt.places) }
      if step.isServerAway { choice = .late }
    }
  }

  /// Whether a prompt is still pending, as far as its file can be read.
  private func mayBePending(_ key: OutboxKey) -> Bool {
    do {
      return try outbox.load(key)?.isOpen == true
    } catch {
      return true
    }
  }

  /// Tries a prompt as stored now; its lock is held.
  private func take(_ key: OutboxKey, _ choice: Choice) async throws(FileError) -> Step? {
    guard let prompt = try outbox.load(key), isWanted(prompt, choice) else { return nil }
    if prompt.isForgotten(at: loop.timestamp()) {
      try outbox.remove(key)
      return nil
    }
    // The process that was to send it is gone.
    if !prompt.isQueued, case .waiting = prompt.state {
      try outbox.remove(key)
      return nil
    }
    if let expired = try delivery.expired(prompt) { return .tried(expired) }
    if case .late = choice { return nil }
    guard let server = servers.first(where: { $0.id == prompt.target.serverID }) else {
      return .notPaired(prompt)
    }
    guard prompt.state.isDelivered else {
      return .tried(try await delivery.attempt(prompt, on: server))
    }
    return try await delivery.endSession(of: prompt, on: server).map(Step.sessionEnded)
  }
}

extension FlushOutbox.Step {
  fileprivate var isOpen: Bool {
    switch self {
    case .tried(let attempt): attempt.prompt.isOpen
    case .notPaired, .busy, .unusable: true
    case .sessionEnded: false
    }
  }

  fileprivate var isFull: Bool {
    guard case .tried(let attempt) = self, case .refused(.full)? = attempt.failure?.delivery else {
      return false
    }
    return true
  }

  /// Whether the server failed in a way that makes more calls pointless now.
  fileprivate var isServerAway: Bool {
    guard case .tried(let attempt) = self, let failure = attempt.failure else { return false }
    if case .refused = failure.delivery { return false }
    return failure.cause.map { !$0.concernsOneTarget } ?? false
  }
}

extension OppiError {
  /// Whether the error concerns one workspace or session, not the whole server.
  fileprivate var concernsOneTarget: Bool {
    switch reason {
    case .unknownWorkspace?, .unknownSession?, .unknownModel?, .file?, .overBudget?,
      .sessionContinued?:
      true
    case .refused(let status, _)?: (400..<500).contains(status)
    default: false
    }
  }
}

extension QueuedPrompt {
  /// Whether it has expired, but its file does not record it yet.
  fileprivate func isLate(at now: Timestamp) -> Bool { isOpen && !isOpen(at: now) }

  /// Whether its key need not be kept any longer.
  fileprivate func isForgotten(at now: Timestamp) -> Bool {
    isDone && state.isDelivered && changedAt.moved(by: FlushOutbox.memory) < now
  }
}
