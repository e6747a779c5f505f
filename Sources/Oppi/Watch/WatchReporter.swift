// SPDX-License-Identifier: MIT

import OppiModel
import Synchronization

/// Passes the messages of a watch on in order, without delaying it while standard error is not read.
final class WatchReporter: IntentReporter {
  private enum Message: Sendable {
    case warning(String)
    case status(String)
    case detail(String)
  }

  /// The number of messages that are kept for a slow reader; others are not printed.
  static let limit = 1000

  private let reporter: any IntentReporter
  private let messages: AsyncStream<Message>
  private let post: AsyncStream<Message>.Continuation
  /// The number of messages that were not kept since the last report.
  private let skipped = Mutex(0)

  init(_ reporter: any IntentReporter) {
    self.reporter = reporter
    (messages, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  /// Passes messages on until the task is cancelled.
  func run() async {
    for await message in messages {
      switch message {
      case .warning(let text): await reporter.warn(text)
      case .status(let text): await reporter.status(text)
      case .detail(let text): await reporter.detail(text)
      }
      let count = skipped.withLock { count in
        defer { count = 0 }
        return count
      }
      guard count > 0 else { continue }
      await reporter.warn("standard error was not read in time; messages not printed: \(count)")
    }
  }

  private func keep(_ message: Message) {
    if case .dropped = post.yield(message) { skipped.withLock { $0 += 1 } }
  }

  func warn(_ message: String) async { keep(.warning(message)) }

  func status(_ message: String) async { keep(.status(message)) }

  func detail(_ message: @autoclosure () -> String) async { keep(.detail(message())) }

  func reason(of error: any Error) -> FailureReason { reporter.reason(of: error) }
}
