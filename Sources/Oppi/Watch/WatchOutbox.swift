// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Delivers queued prompts while a watch runs, when their servers answer.
struct WatchOutbox {
  typealias News = FlushLine

  /// The least time between two deliveries for one server.
  private static let pause = Duration.seconds(30)

  private var busy: Set<Fingerprint> = []
  /// The servers that came back during a delivery; the prompts that it left are tried at once.
  private var cameBack: Set<Fingerprint> = []
  private var triedAt: [Fingerprint: EventLoop.Instant] = [:]
  /// The last error of listing the outbox.
  private var trouble: FileError?
  /// The notifications that wait for the end of quiet hours.
  private var notes: [DesktopNotification] = []
  /// The outbox's keys at the last search for the first deadline, and that deadline.
  private var searched: (keys: [OutboxKey], deadline: Timestamp?)?
  /// The start of a search for expired prompts that has not ended yet.
  private var expiringSince: EventLoop.Instant?

  /// The job that delivers the prompts of a server that just answered; `nil` if none is due.
  ///
  /// With `isBack`, after the server was unreachable, the job does not wait for the prompts' retry
  /// times.
  mutating func job(
    for server: PairedServer,
    isBack: Bool,
    in context: IntentContext
  ) -> WatchService.Job? {
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
      let flush = FlushOutbox(servers: [server], context: context)
      let choice = FlushOutbox.Choice.server(server.id, isDueOnly: !isBack)
      return .flushed(server, await Self.lines(of: flush, choice, in: context))
    }
  }

  /// The job that reports expired prompts, whose servers may be unreachable; `nil` if there are
  /// none.
  mutating func expiryJob(in context: IntentContext) -> WatchService.Job? {
    // The next flush reports unreadable files.
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
      let flush = FlushOutbox(servers: [], context: context)
      return .expired(await Self.lines(of: flush, .late, in: context))
    }
  }

  /// Handles expired prompts, and returns the events to print.
  mutating func take(expired lines: [News], worded output: some WatchOutput) -> [News] {
    expiringSince = nil
    // A file that cannot be written is tried again after the outbox has changed.
    if lines.contains(where: \.step.isDamaged) { searched?.deadline = nil } else { searched = nil }
    return news(in: lines, worded: output)
  }

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

  /// Handles the results of a delivery, and returns the events to print.
  mutating func take(
    _ lines: [News],
    of server: PairedServer,
    worded output: some WatchOutput
  ) -> [News] {
    busy.remove(server.id)
    return news(in: lines, worded: output)
  }

  private mutating func news(in lines: [News], worded output: some WatchOutput) -> [News] {
    notes += lines.compactMap(output.notification)
    return lines.filter(\.step.isNews)
  }

  /// Returns the pending notifications and removes them.
  mutating func takeNotes() -> [DesktopNotification] {
    defer { notes = [] }
    return notes
  }
}

extension FlushOutbox.Step {
  /// Whether it is a final result, which is not reported repeatedly.
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
