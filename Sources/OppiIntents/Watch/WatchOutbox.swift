// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiSystem

/// The outbox while a watch runs: prompts for a server are tried when the server is there.
package struct WatchOutbox {
  /// What came of one prompt.
  package struct News: Sendable {
    package let step: FlushOutbox.Step
    package let at: Timestamp
  }

  /// The outbox is looked into no more often for one server.
  private static let pause = Duration.seconds(30)

  private var busy: Set<Fingerprint> = []
  /// The servers that came back during a delivery: what it left is tried without waiting.
  private var cameBack: Set<Fingerprint> = []
  private var triedAt: [Fingerprint: EventLoop.Instant] = [:]
  /// Why it could not be seen last what waits.
  private var trouble: FileError?
  /// What is to be shown once notifications may be raised.
  private var notes: [DesktopNotification] = []
  /// What was in the outbox when it was last searched for a deadline, and the first one.
  private var searched: (keys: [OutboxKey], deadline: Timestamp?)?
  /// When expired prompts were looked for, of which nothing has come back yet.
  private var expiringSince: EventLoop.Instant?

  /// What tries the prompts of a server that has just answered; `nil` where it is not time for that.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - isBack: Whether it was away before: then no prompt waits for the end of its pause.
  ///   - context: The world.
  /// - Returns: The job, which is told when it is over.
  mutating func job(
    for server: PairedServer,
    isBack: Bool,
    in context: IntentContext
  ) -> WatchRoom.Job? {
    let now = context.loop.now
    guard !busy.contains(server.id) else {
      if isBack { cameBack.insert(server.id) }
      return nil
    }
    let isBack = cameBack.remove(server.id) != nil || isBack
    guard isBack || triedAt[server.id].map({ now >= $0 + Self.pause }) ?? true else {
      return nil
    }
    triedAt[server.id] = now
    do throws(FileError) {
      guard try !context.outbox.keys().isEmpty else { return nil }
      trouble = nil
    } catch {
      guard error != trouble else { return nil }
      trouble = error
    }
    busy.insert(server.id)
    return {
      let flush = FlushOutbox(to: [server], in: context)
      let choice = FlushOutbox.Choice.server(server.id, isDueOnly: !isBack)
      return .flushed(server, await Self.lines(of: flush, choice, in: context))
    }
  }

  /// Reports the prompts that were not delivered in time, which their servers may be away for; `nil`
  /// where there are none.
  mutating func expiryJob(in context: IntentContext) -> WatchRoom.Job? {
    // The next flush reports what cannot be read.
    let now = context.loop.now
    guard expiringSince.map({ now >= $0 + Self.pause }) ?? true,
      let keys = try? context.outbox.keys()
    else { return nil }
    if keys != searched?.keys {
      let prompts = keys.compactMap { try? context.outbox.load($0) }
      searched = (keys, prompts.filter(\.isOpen).compactMap(\.expiresAt).min())
    }
    guard let deadline = searched?.deadline, deadline <= context.now() else { return nil }
    expiringSince = now
    return {
      let flush = FlushOutbox(to: [], in: context)
      return .expired(await Self.lines(of: flush, .late, in: context))
    }
  }

  /// Takes what was not delivered in time, and returns what is worth a line.
  mutating func take(expired lines: [News], worded teller: some WatchTeller) -> [News] {
    expiringSince = nil
    // A file that cannot be written is tried again when the outbox has changed.
    if lines.contains(where: \.step.isDamaged) { searched?.deadline = nil } else { searched = nil }
    return news(in: lines, worded: teller)
  }

  /// Flushes, and returns what came of each prompt.
  private static func lines(
    of flush: FlushOutbox,
    _ choice: FlushOutbox.Choice,
    in context: IntentContext
  ) async -> [News] {
    var lines: [News] = []
    do throws(FileError) {
      try await flush.run(choice) { step in
        lines.append(News(step: step, at: context.now()))
      }
    } catch {
      await context.reporter.warn(context.reporter.reason(of: error).message)
    }
    return lines
  }

  /// Takes what came of a job, and returns what is worth a line.
  mutating func take(
    _ lines: [News],
    of server: PairedServer,
    worded teller: some WatchTeller
  ) -> [News] {
    busy.remove(server.id)
    return news(in: lines, worded: teller)
  }

  private mutating func news(in lines: [News], worded teller: some WatchTeller) -> [News] {
    notes += lines.compactMap(teller.notification)
    return lines.filter(\.step.isNews)
  }

  /// What is to be shown now that notifications may be raised.
  mutating func takeNotes() -> [DesktopNotification] {
    defer { notes = [] }
    return notes
  }
}

extension FlushOutbox.Step {
  /// Whether something has changed that is not told again and again.
  fileprivate var isNews: Bool {
    switch self {
    case .tried(let attempt): !attempt.prompt.isOpen
    case .sessionEnded, .damaged: true
    case .notPaired, .busy: false
    }
  }

  fileprivate var isDamaged: Bool {
    if case .damaged = self { true } else { false }
  }
}
