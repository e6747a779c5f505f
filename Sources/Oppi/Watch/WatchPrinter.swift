// SPDX-License-Identifier: MIT

import Synchronization

/// Prints the events of a watch in order, without delaying it: a terminal or a pipe whose reader has
/// stopped must not stop the notifications.
final class WatchPrinter: Sendable {
  /// The number of events that are kept for a slow reader; others are not printed.
  static let limit = 1000

  private let events: AsyncStream<WatchEvent>
  private let post: AsyncStream<WatchEvent>.Continuation
  /// The number of events that were not kept since the last report.
  private let skipped = Mutex(0)

  init() {
    (events, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  func tell(_ event: WatchEvent) {
    if case .dropped = post.yield(event) { skipped.withLock { $0 += 1 } }
  }

  /// Prints until the task is cancelled.
  ///
  /// - Parameters:
  ///   - teller: Writes the events.
  ///   - warn: Is called with a message after events that were not kept.
  /// - Throws: If the output cannot be written.
  func run(
    _ teller: any WatchTeller,
    warn: @Sendable (String) async -> Void
  ) async throws {
    for await event in events {
      try await teller.tell(event)
      let count = skipped.withLock { count in
        defer { count = 0 }
        return count
      }
      if count > 0 { await warn("the output was not read in time; events not printed: \(count)") }
    }
  }
}
