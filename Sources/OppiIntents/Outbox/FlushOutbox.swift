// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
package import OppiSystem

/// Delivers what waits in the outbox: each server's prompts one after another, oldest first, all
/// servers at the same time; what another process is at is left to it.
package struct FlushOutbox: Sendable {
  /// Which prompts are tried.
  package enum Choice: Sendable {
    /// All that wait.
    case all
    /// Those whose pause is over.
    case due
    /// Those that were not delivered in time: nothing is sent.
    case late
    /// Those of a server.
    case server(Fingerprint, isDueOnly: Bool)
    /// One.
    case key(OutboxKey)
  }

  /// What came of one prompt.
  package enum Step: Sendable {
    /// It was tried.
    case tried(DeliverQueued.Attempt)
    /// Its session was ended, as it was to be after its turn.
    case sessionEnded(QueuedPrompt)
    /// Its server is not paired any more.
    case notPaired(QueuedPrompt)
    /// Another process is at it.
    case busy(OutboxKey)
    /// Its file is of no use, or could not be written.
    case damaged(OutboxKey, FileError)
  }

  /// How long what was delivered under a key is remembered.
  package static let memory = Duration.seconds(30 * 24 * 3600)

  private let delivery: DeliverQueued
  private let servers: [PairedServer]
  private var outbox: OutboxStore { delivery.outbox }
  private var loop: EventLoop { delivery.context.loop }

  /// - Parameters:
  ///   - servers: The servers that may get prompts.
  ///   - context: The world.
  package init(to servers: [PairedServer], in context: IntentContext) {
    delivery = DeliverQueued(in: context)
    self.servers = servers
  }

  /// Tries the prompts and hands out what comes of each.
  ///
  /// - Throws: Where it cannot be seen what waits.
  package func run(_ choice: Choice, hear: (Step) async -> Void) async throws(FileError) {
    outbox.removeLeftovers()
    var queues: [Fingerprint: [QueuedPrompt]] = [:]
    for key in try outbox.keys() {
      do throws(FileError) {
        guard let prompt = try outbox.load(key), concerns(prompt, choice) else { continue }
        queues[prompt.target.serverID, default: []].append(prompt)
      } catch {
        await hear(.damaged(key, error))
      }
    }
    let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [queues] in
        await withTaskGroup(of: Void.self) { group in
          for queue in queues.values.sorted(by: Self.isOlder) {
            group.addTask { await work(through: queue, choice) { continuation.yield($0) } }
          }
        }
        continuation.finish()
      }
      for await step in steps {
        if case .tried(let attempt) = step { await delivery.context.settleHistory(of: attempt) }
        await hear(step)
      }
    }
  }

  private static func isOlder(_ one: [QueuedPrompt], _ other: [QueuedPrompt]) -> Bool {
    one[0].target.serverID.text < other[0].target.serverID.text
  }

  /// Whether it is tried, or holds up what is.
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
    case .all, .server, .key: true
    }
  }

  /// One server's prompts; where it cannot be reached the others are left for later, except those
  /// that are too late by then.
  private func work(
    through queue: [QueuedPrompt],
    _ choice: Choice,
    _ tell: @Sendable (Step) -> Void
  ) async {
    let order = queue.sorted { ($0.createdAt, $0.key) < ($1.createdAt, $1.key) }
    // What was said later in a session must not overtake what was said before, and a workspace
    // without room has none for the next one.
    var held: Set<QueuedPrompt.Place> = []
    var choice = choice
    for prompt in order {
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
        step = .damaged(prompt.key, error)
      }
      // Somebody else was at it, and may have put it off.
      guard let step else {
        held.formUnion(prompt.threads)
        continue
      }
      tell(step)
      if step.isOpen { held.formUnion(prompt.threads) }
      if step.isFull { held.formUnion(prompt.places) }
      if step.isServerAway { choice = .late }
    }
  }

  /// One prompt as it is now, whose lock is held.
  private func take(_ key: OutboxKey, _ choice: Choice) async throws(FileError) -> Step? {
    guard let prompt = try outbox.load(key), isWanted(prompt, choice) else { return nil }
    if prompt.isForgotten(at: loop.timestamp()) {
      try outbox.remove(key)
      return nil
    }
    // Its own process was to send it, and is gone.
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
  /// Whether the prompt is still to be delivered.
  fileprivate var isOpen: Bool {
    switch self {
    case .tried(let attempt): attempt.prompt.isOpen
    case .notPaired, .busy, .damaged: true
    case .sessionEnded: false
    }
  }

  /// Whether its place has no room.
  fileprivate var isFull: Bool {
    guard case .tried(let attempt) = self, case .refused(.full)? = attempt.failure?.delivery else {
      return false
    }
    return true
  }

  /// Whether its server is not worth another question now.
  fileprivate var isServerAway: Bool {
    guard case .tried(let attempt) = self, let failure = attempt.failure else { return false }
    if case .refused = failure.delivery { return false }
    return failure.cause.map { !$0.isAboutOne } ?? false
  }
}

extension IntentError {
  /// Whether it is about one workspace or session, and not about its server.
  fileprivate var isAboutOne: Bool {
    switch self {
    case .unknownWorkspace, .unknownSession, .unknownModel, .file: true
    case .refused(let status, _, _): (400..<500).contains(status)
    default: false
    }
  }
}

extension QueuedPrompt {
  /// Whether it was not delivered in time, and its file does not say so yet.
  fileprivate func isLate(at now: Timestamp) -> Bool { isOpen && !isOpen(at: now) }

  /// Whether it is time to forget that its key was used.
  fileprivate func isForgotten(at now: Timestamp) -> Bool {
    isDone && state.isDelivered && changedAt.moved(by: FlushOutbox.memory) < now
  }
}
