// SPDX-License-Identifier: MIT

import OppiModel

/// Passes the messages of a watch on in order, without delaying it while standard error is not read.
struct WatchReporter: IntentReporter {
  private enum Message: Sendable {
    case warning(String)
    case status(String)
    case detail(String)
  }

  /// The number of messages that are kept for a slow reader; others are not printed.
  private static let limit = 1000

  private let reporter: any IntentReporter
  private let messages: AsyncStream<Message>
  private let post: AsyncStream<Message>.Continuation

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
    }
  }

  func warn(_ message: String) async { post.yield(.warning(message)) }

  func status(_ message: String) async { post.yield(.status(message)) }

  func detail(_ message: @autoclosure () -> String) async { post.yield(.detail(message())) }

  func reason(of error: any Error) -> FailureReason { reporter.reason(of: error) }
}
