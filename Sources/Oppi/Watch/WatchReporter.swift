// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization

/// Messages that are passed on in order, without delaying their sender: a reader that has stopped
/// must not stop the notifications.
final class Mailbox<Message: Sendable>: Sendable {
  /// The number of messages that are kept for a slow reader; others are lost.
  static var limit: Int { 1000 }

  private let messages: AsyncStream<Message>
  private let post: AsyncStream<Message>.Continuation
  /// The number of messages that were not kept since the last report.
  private let skipped = Mutex(0)

  init() {
    (messages, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  func send(_ message: Message) {
    if case .dropped = post.yield(message) { skipped.withLock { $0 += 1 } }
  }

  /// Passes messages on until the task is cancelled, and the number of those that were not kept.
  func read(
    _ take: (Message) async throws -> Void,
    onLoss tell: (Int) async -> Void
  ) async rethrows {
    for await message in messages {
      try await take(message)
      let count = skipped.withLock { count in
        defer { count = 0 }
        return count
      }
      if count > 0 { await tell(count) }
    }
  }
}

/// Passes the messages of a watch on, also while standard error is not read.
struct WatchReporter: IntentReporter {
  private let reporter: any IntentReporter
  private let messages = Mailbox<@Sendable (any IntentReporter) async -> Void>()

  init(_ reporter: any IntentReporter) {
    self.reporter = reporter
  }

  /// Passes messages on until the task is cancelled.
  func run() async {
    await messages.read { message in
      await message(reporter)
    } onLoss: { count in
      await reporter.warn("standard error was not read in time; messages not printed: \(count)")
    }
  }

  func warn(_ message: String) async { messages.send { await $0.warn(message) } }

  func status(_ message: String) async { messages.send { await $0.status(message) } }

  func detail(_ message: @autoclosure () -> String) async {
    let message = message()
    messages.send { await $0.detail(message) }
  }

  func reason(of error: any Error) -> FailureReason { reporter.reason(of: error) }
}

/// An event that a watch reports.
enum WatchEvent: Sendable {
  /// An alert, reported once even if the desktop shows it several times.
  case alert(Alert, AlertText, at: Timestamp)
  case press(WatchPress)
  /// An unreachable server answers again.
  case serverBack(name: String)
  /// A queued prompt was tried, or expired.
  case outbox(WatchOutbox.News)
  /// A pending request was passed to the user's command; not if the command failed.
  case passed(ListedRequest, isSent: Bool, at: Timestamp)
  /// A pending request was denied by a rule, or could not be.
  case denied(ListedRequest, Result<DecisionOutcome, any Error>, at: Timestamp)
}

/// The result of pressing a button.
enum WatchPress: Sendable {
  /// A reply was sent, or could not be.
  case decided(
    RequestReply,
    HumanRequest,
    Result<DecisionOutcome, any Error>
  )
  /// The button's request is no longer known; no decision was sent.
  case outdated
  /// The button was pressed before its request could be read; no decision was sent.
  case hasty
}

/// Words and prints the events of a watch.
protocol WatchOutput: Sendable {
  /// The notification text of an alert; `request` is `nil` if it cannot be identified for certain.
  func text(of alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText
  /// The text of one notification for many alerts.
  func text(of alerts: [Alert]) -> AlertText
  /// The title and body of the notification after a press.
  func note(on press: WatchPress) -> (title: String, body: String)
  /// The title and body of the notification after a denial by a rule.
  func note(
    onDenialOf row: ListedRequest,
    _ result: Result<DecisionOutcome, any Error>
  ) -> (title: String, body: String)
  /// The object that the user's command gets for a request that stays pending.
  func document(of row: ListedRequest, pendingSince begin: Timestamp, at now: Timestamp)
    -> JSONValue
  /// The notification about a queued prompt; `nil` if the user need not act.
  func notification(of news: WatchOutbox.News) -> DesktopNotification?
  /// - Throws: If the output cannot be written, which ends the watch.
  func report(_ event: WatchEvent) async throws
}

/// Prints the events of a watch, also while the output is not read.
struct WatchPrinter: Sendable {
  private let events = Mailbox<WatchEvent>()

  func report(_ event: WatchEvent) { events.send(event) }

  /// Prints until the task is cancelled; calls `warn` after events that were not kept.
  ///
  /// - Throws: If the output cannot be written.
  func run(
    _ output: any WatchOutput,
    warn: @Sendable (String) async -> Void
  ) async throws {
    try await events.read(output.report) { count in
      await warn("the output was not read in time; events not printed: \(count)")
    }
  }
}

/// The connection over which a server reports events to a watcher, across losses.
actor WatchLine {
  private static let limit = Duration.seconds(10)
  /// Longer than two ping intervals of a server, 30 s each: a stream silent for this long is dead.
  static let silenceLimit = Duration.seconds(75)
  /// A connection that the server ended as planned after this time is opened again at once.
  private static let leastLife = Duration.seconds(1)
  /// How often to check whether a server without such a connection speaks another dialect.
  private static let checkInterval = Duration.seconds(2)

  private var server: PairedServer
  private let context: IntentContext
  private var loop: EventLoop { context.loop }
  private var source: (any NewsSource)?

  init(to server: PairedServer, in context: IntentContext) {
    self.server = server
    self.context = context
  }

  /// Whether the open connection reports everything that a query would find.
  var isComplete: Bool { source?.isComplete ?? false }

  /// Keeps a connection open and calls `tell` after events.
  ///
  /// - Throws: `CancellationError`.
  func listen(_ tell: @Sendable () -> Void) async throws {
    var reconnect = Reconnect(patience: nil)
    let begin = loop.now
    var isFirst = true
    // Whether an open connection was lost, and no query was asked for since.
    var isLost = false
    while true {
      let tried = server.dialect
      var hasSource = true
      var openedAt: EventLoop.Instant?
      var isRenewal = false
      do throws(OppiError) {
        // A token that is unavailable now may be available at the next attempt.
        let api = try await context.connections.client(for: server)
        if let source = try await api.within(Self.limit).openNews() {
          reconnect.succeeded(at: begin.duration(to: loop.now))
          openedAt = loop.now
          self.source = source
          // What happened meanwhile is not reported again.
          tell()
          if !isFirst { await check(api) }
          isFirst = false
          try await source.receive(tell)
        } else {
          hasSource = false
        }
      } catch {
        // The queries report what is wrong with the server.
        await close()
        isRenewal = error.isPlanned && openedAt.map { $0 + Self.leastLife <= loop.now } ?? false
        if error.isFinalRefusal { try await waitForAccess() }
      }
      try Task.checkCancellation()
      if isRenewal { continue }
      // If the server cannot be reached again at once, a query finds out what is wrong.
      if openedAt == nil, isLost { tell() }
      isLost = openedAt != nil
      if hasSource {
        try await pause(&reconnect, since: begin)
      } else {
        while server.dialect == tried { try await loop.sleep(for: Self.checkInterval) }
      }
    }
  }

  /// Waits until the home is paired again, but not for ever: the server may accept the device again.
  private func waitForAccess() async throws {
    let end = loop.now + ServerWatch.refusedInterval
    while loop.now < end, !context.connections.hasAccessToken(for: server) {
      try await loop.sleep(for: Self.checkInterval)
    }
  }

  private func pause(
    _ reconnect: inout Reconnect,
    since begin: EventLoop.Instant
  ) async throws {
    let spread = Double(loop.random.next() >> 11) / Double(1 << 53)
    let next = reconnect.failed(at: begin.duration(to: loop.now), spread: spread)
    try await loop.sleep(until: begin + (next ?? .zero))
  }

  /// Notices an update of the server, which ends all connections.
  private func check(_ api: IntentAPIClient) async {
    do throws(OppiError) {
      guard let info = try await api.within(Self.limit).info() else { return }
      server = await context.remember(info, of: server)
    } catch {
      return
    }
  }

  private func close() async {
    let last = source
    source = nil
    await last?.close()
  }

  /// Follows the loaded agents of a server, whose dialect a query may have updated.
  func follow(_ loaded: Set<String>, on server: PairedServer) async {
    self.server = server
    await source?.follow(loaded)
  }
}
