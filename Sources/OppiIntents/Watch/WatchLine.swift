// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// A stream to a server that reports events to a watcher.
///
/// Subscribes only to loaded sessions and only to notifications, so that it starts no agent.
actor WatchLine {
  private static let limit = Duration.seconds(10)
  /// Longer than two ping intervals of a server, 30 s each: a stream silent for this long is dead.
  private static let silenceLimit = Duration.seconds(75)
  /// Below a server's limit of 30 subscriptions in 5 s.
  private static let burst = 25

  private let server: PairedServer
  private let connections: Connections
  private var loop: EventLoop { connections.loop }
  private var stream: IntentWebSocket?
  private var subscribed: Set<String> = []

  init(to server: PairedServer, connections: Connections) {
    self.server = server
    self.connections = connections
  }

  /// Keeps a stream open and calls `tell` after events; returns if the server has no streams.
  ///
  /// - Throws: If the task is cancelled.
  func listen(_ tell: @Sendable () -> Void) async throws {
    var reconnect = Reconnect(patience: nil)
    let begin = loop.now
    while true {
      do throws(IntentError) {
        // A token that is unavailable now may be available at the next attempt.
        let api = try await connections.client(for: server)
        let stream = try await IntentWebSocket.openMultiplexed(api, until: loop.now + Self.limit)
        reconnect.succeeded(at: begin.duration(to: loop.now))
        (self.stream, subscribed) = (stream, [])
        tell()
        try await receive(from: stream, tell)
      } catch {
        await close()
        // An older server without this stream; queries find its events.
        if case .refused(404, _, _) = error { return }
      }
      try Task.checkCancellation()
      let spread = Double(loop.random.next() >> 11) / Double(1 << 53)
      let next = reconnect.failed(at: begin.duration(to: loop.now), spread: spread)
      try await loop.sleep(until: begin + (next ?? .zero))
    }
  }

  private func receive(
    from stream: IntentWebSocket,
    _ tell: @Sendable () -> Void
  ) async throws(IntentError) {
    while true {
      do throws(IntentError) {
        let message = try await stream.receive(until: loop.now + Self.silenceLimit)
        if case .sessionEnded = message.kind, let id = message.sessionID { subscribed.remove(id) }
        if message.kind.isNews { tell() }
      } catch .noAnswer {
        if await stream.isSilent(for: Self.silenceLimit) {
          throw .hungUp(server: server.name)
        }
      }
    }
  }

  private func close() async {
    let last = stream
    (stream, subscribed) = (nil, [])
    await last?.close()
  }

  /// Subscribes to exactly the given sessions, whose agents are loaded.
  func follow(_ loaded: Set<String>) async {
    guard let stream else { return }
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
