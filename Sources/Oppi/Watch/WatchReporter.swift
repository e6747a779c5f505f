// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
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
    onLoss report: (Int) async -> Void
  ) async rethrows {
    for await message in messages {
      try await take(message)
      let count = skipped.withLock { count in
        defer { count = 0 }
        return count
      }
      if count > 0 { await report(count) }
    }
  }
}

/// Passes the messages of a watch on, also while standard error is not read.
struct WatchReporter: Reporter {
  private let reporter: any Reporter
  private let messages = Mailbox<@Sendable (any Reporter) async -> Void>()

  init(_ reporter: any Reporter) {
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
