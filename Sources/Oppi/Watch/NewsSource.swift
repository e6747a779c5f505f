// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// An open connection over which a server reports events to a watcher; it starts no agent.
protocol NewsSource: Sendable {
  /// Whether it reports the events of all sessions, questions included.
  var isComplete: Bool { get }

  /// Receives messages until the connection is lost, and calls `tell` after those after which the
  /// sessions must be read again.
  func receive(_ tell: @Sendable () -> Void) async throws(IntentError)

  /// Follows the events of these loaded agents.
  func follow(_ loaded: Set<String>) async

  func close() async
}

extension IntentAPIClient {
  /// Opens the connection for events; `nil` on servers without one.
  ///
  /// A server whose dialect is unknown may be of the dialect of spring 2026.
  func openNews(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> (any NewsSource)? {
    do {
      switch dialect?.updates ?? .counter {
      case .polling: return nil
      case .counter:
        return SubscribedNews(try await .openMultiplexed(self, until: deadline), of: self)
      case .appEvents:
        return AppEventNewsSource(try await .openAppEvents(self, until: deadline), of: self)
      }
    } catch .refused(404, _, _) {
      return nil
    }
  }
}
