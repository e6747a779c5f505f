// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText
import OppiWire

/// Delivers queued prompts while a watch runs, when their servers answer.
struct WatchOutbox {
  /// The least time between two deliveries for one server.
  private static let pause = Duration.seconds(30)

  private var busy: Set<Fingerprint> = []
  /// The servers that came back during a delivery; the prompts that it left are tried at once.
  private var cameBack: Set<Fingerprint> = []
  private var triedAt: [Fingerprint: EventLoop.Instant] = [:]
  /// The last error of listing the outbox.
  private var trouble: FileError?
  /// The results that were not notified yet, because of quiet hours.
  private var news: [FlushLine] = []
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
    in context: Services
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
      let lines = await Self.lines(of: flush, choice, in: context)
      return { service in
        for line in service.outbox.take(lines, of: server) { service.lines.send(line.report) }
      }
    }
  }

  /// The job that reports expired prompts, whose servers may be unreachable; `nil` if there are
  /// none.
  mutating func expiryJob(in context: Services) -> WatchService.Job? {
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
      let lines = await Self.lines(of: flush, .late, in: context)
      return { service in
        for line in service.outbox.take(expired: lines) { service.lines.send(line.report) }
      }
    }
  }

  /// Takes the results for expired prompts, and returns those to print.
  mutating func take(expired lines: [FlushLine]) -> [FlushLine] {
    expiringSince = nil
    // A file that cannot be written is tried again after the outbox has changed.
    if lines.contains(where: \.step.isUnusable) { searched?.deadline = nil } else { searched = nil }
    return news(in: lines)
  }

  private static func lines(
    of flush: FlushOutbox,
    _ choice: FlushOutbox.Choice,
    in context: Services
  ) async -> [FlushLine] {
    var lines: [FlushLine] = []
    do throws(FileError) {
      try await flush.run(choice) { lines.append(FlushLine(step: $0, at: context.now())) }
    } catch {
      await context.reporter.warn(context.reporter.reason(of: error).message)
    }
    return lines
  }

  /// Takes the results of a delivery, and returns those to print.
  mutating func take(_ lines: [FlushLine], of server: PairedServer) -> [FlushLine] {
    busy.remove(server.id)
    return news(in: lines)
  }

  private mutating func news(in lines: [FlushLine]) -> [FlushLine] {
    // Only these: a line has the whole prompt, and quiet hours are long.
    news += lines.filter { $0.notification(isPrivate: true) != nil }
    return lines.filter(\.step.isNews)
  }

  /// Returns the results to notify, and removes them.
  mutating func takeNews() -> [FlushLine] {
    defer { news = [] }
    return news
  }
}

extension FlushOutbox.Step {
  /// Whether it is a final result, which is not reported repeatedly.
  fileprivate var isNews: Bool {
    switch self {
    case .tried(let attempt): !attempt.prompt.isOpen
    case .sessionEnded, .unusable: true
    case .notPaired, .busy: false
    }
  }

  fileprivate var isUnusable: Bool {
    if case .unusable = self { true } else { false }
  }
}
