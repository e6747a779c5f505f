// SPDX-License-Identifier: MIT

/// Prints the events of a watch in order, without delaying it: a terminal or a pipe whose reader has
/// stopped must not stop the notifications.
package struct WatchPrinter: Sendable {
  /// The number of events that are kept for a slow reader; others are not printed.
  package static let limit = 1000

  private let events: AsyncStream<WatchEvent>
  private let post: AsyncStream<WatchEvent>.Continuation

  package init() {
    (events, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  package func tell(_ event: WatchEvent) { post.yield(event) }

  /// Prints until the task is cancelled.
  ///
  /// - Throws: If the output cannot be written.
  package func run(_ teller: any WatchTeller) async throws {
    for await event in events { try await teller.tell(event) }
  }
}
