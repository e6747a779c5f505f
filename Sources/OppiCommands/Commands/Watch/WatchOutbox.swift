// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// The outbox while a watch runs: what waits for a server is tried when that is there.
struct WatchOutbox {
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
    in context: Context
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
      let flush = FlushOutbox(to: [server], in: context.intents)
      let choice = FlushOutbox.Choice.server(server.id, isDueOnly: !isBack)
      return .flushed(server, await Self.lines(of: flush, choice, in: context))
    }
  }

  /// Reports the prompts that were not delivered in time, which their servers may be away for; `nil`
  /// where there are none.
  mutating func expiryJob(in context: Context) -> WatchRoom.Job? {
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
      let flush = FlushOutbox(to: [], in: context.intents)
      return .expired(await Self.lines(of: flush, .late, in: context))
    }
  }

  /// Takes what was not delivered in time, and returns what is worth a line.
  mutating func take(expired lines: [FlushLine], isPrivate: Bool) -> [FlushLine] {
    expiringSince = nil
    // A file that cannot be written is tried again when the outbox has changed.
    if lines.contains(where: \.isDamaged) { searched?.deadline = nil } else { searched = nil }
    return news(in: lines, isPrivate: isPrivate)
  }

  /// Flushes, and returns what came of each prompt.
  private static func lines(
    of flush: FlushOutbox,
    _ choice: FlushOutbox.Choice,
    in context: Context
  ) async -> [FlushLine] {
    var lines: [FlushLine] = []
    do throws(FileError) {
      try await flush.run(choice) { step in
        let line = FlushLine(step: step, now: context.now())
        lines.append(line)
      }
    } catch {
      await context.console.warn(OppiError(error).message)
    }
    return lines
  }

  /// Takes what came of a job, and returns what is worth a line.
  mutating func take(
    _ lines: [FlushLine],
    of server: PairedServer,
    isPrivate: Bool
  ) -> [FlushLine] {
    busy.remove(server.id)
    return news(in: lines, isPrivate: isPrivate)
  }

  private mutating func news(in lines: [FlushLine], isPrivate: Bool) -> [FlushLine] {
    notes += lines.compactMap { $0.notification(isPrivate: isPrivate) }
    return lines.filter(\.isNews)
  }

  /// What is to be shown now that notifications may be raised.
  mutating func takeNotes() -> [DesktopNotification] {
    defer { notes = [] }
    return notes
  }
}

extension FlushLine {
  /// Whether something has changed that is not told again and again.
  var isNews: Bool {
    switch step {
    case .tried(let attempt): !attempt.prompt.isOpen
    case .sessionEnded, .damaged: true
    case .notPaired, .busy: false
    }
  }

  fileprivate var isDamaged: Bool {
    if case .damaged = step { true } else { false }
  }

  /// What its user has to know; `nil` where all is well, or may become so.
  func notification(isPrivate: Bool) -> DesktopNotification? {
    guard case .tried(let attempt) = step, !attempt.prompt.isOpen, let failure else { return nil }
    let prompt = attempt.prompt
    let summary =
      switch prompt.state {
      case .unknown: "Whether a prompt of the outbox ran is not known"
      case .expired: "A prompt of the outbox was not delivered in time"
      default: "A prompt of the outbox was refused"
      }
    var notification = DesktopNotification(tag: "outbox/\(prompt.key)", summary: summary)
    let words = prompt.content.text.safeLine(limit: 100)
    notification.body = isPrivate ? "" : "\(words)\n\(failure.message)"
    notification.withoutActions = "oppi outbox show \(prompt.key)"
    notification.category = "x-oppi.outbox"
    return notification
  }
}
