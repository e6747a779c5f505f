// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The stream of a server of spring 2026, with subscriptions to the notifications of loaded sessions
/// only, so that no agent is started.
actor SubscribedNews: NewsSource {
  /// Below a server's limit of 30 subscriptions in 5 s.
  private static let burst = 25
  private static let limit = Duration.seconds(10)

  private let stream: IntentWebSocket
  private let loop: EventLoop
  private var subscribed: Set<String> = []

  init(_ stream: IntentWebSocket, of api: IntentAPIClient) {
    (self.stream, loop) = (stream, api.loop)
  }

  /// A stream reports no questions, and nothing of sessions without a subscription.
  nonisolated var isComplete: Bool { false }

  func receive(_ tell: @Sendable () -> Void) async throws(IntentError) {
    while true {
      do throws(IntentError) {
        let message = try await stream.receive(until: loop.now + WatchLine.silenceLimit)
        if case .sessionEnded = message.kind, let id = message.sessionID { subscribed.remove(id) }
        if message.kind.isNews { tell() }
      } catch .noAnswer {
        if await stream.isSilent(for: WatchLine.silenceLimit) {
          throw .hungUp(server: stream.serverName)
        }
      }
    }
  }

  /// Subscribes to exactly the given sessions, whose agents are loaded.
  func follow(_ loaded: Set<String>) async {
    let deadline = loop.now + Self.limit
    for id in subscribed.subtracting(loaded) {
      subscribed.remove(id)
      // Further messages of the session are harmless.
      try? await stream.send([.init(.unsubscribe, id: stream.newID())], to: id, until: deadline)
    }
    for id in loaded.subtracting(subscribed).sorted().prefix(Self.burst) {
      subscribed.insert(id)
      // A subscription from before the agent's end receives nothing until it is renewed.
      do throws(IntentError) {
        try await stream.send(
          [
            .init(.unsubscribe, id: stream.newID()),
            .init(.subscribeToNotifications, id: stream.newID()),
          ],
          to: id,
          until: deadline
        )
      } catch {
        // The next call tries again, over the stream that is open then.
        subscribed.remove(id)
        return
      }
    }
  }

  func close() async { await stream.close() }
}

extension ServerMessage.Kind {
  /// Whether the state of a session may have changed.
  var isNews: Bool {
    switch self {
    case .permissionRequest, .permissionExpired, .permissionCancelled, .agentStart, .agentEnd,
      .stopConfirmed, .stopFailed, .sessionEnded, .sessionDeleted, .error, .question:
      true
    default: false
    }
  }
}
