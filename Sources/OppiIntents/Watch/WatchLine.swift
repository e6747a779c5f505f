// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// The stream to a server over which a watcher hears that something has happened.
///
/// It is subscribed to what is loaded, and for notifications only: no agent is started by it and no
/// place is taken.
actor WatchLine {
  private static let limit = Duration.seconds(10)
  /// Servers ping every 30 s; a stream without a sign for so long is dead.
  private static let silenceLimit = Duration.seconds(75)
  /// A server refuses more subscriptions in 5 s than 30.
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

  /// Keeps a stream open and tells when something has happened; returns where the server has none.
  ///
  /// - Throws: Where the task is cancelled.
  func listen(_ tell: @Sendable () -> Void) async throws {
    var reconnect = Reconnect(patience: nil)
    let begin = loop.now
    while true {
      do throws(IntentError) {
        // A token that cannot be had now may be there at the next try.
        let api = try await connections.client(for: server)
        let stream = try await IntentWebSocket.openMultiplexed(api, until: loop.now + Self.limit)
        reconnect.succeeded(at: begin.duration(to: loop.now))
        (self.stream, subscribed) = (stream, [])
        tell()
        try await receive(from: stream, tell)
      } catch {
        await close()
        // An older server; what happens there is seen by asking.
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

  /// Subscribes to the sessions whose agents are loaded, and to no other.
  func follow(_ loaded: Set<String>) async {
    guard let stream else { return }
    let deadline = loop.now + Self.limit
    for id in subscribed.subtracting(loaded) {
      subscribed.remove(id)
      // What is heard of it all the same does no harm.
      try? await stream.send([.init(.unsubscribe, id: stream.newID())], to: id, until: deadline)
    }
    for id in loaded.subtracting(subscribed).sorted().prefix(Self.burst) {
      subscribed.insert(id)
      // One that was heard before its agent ended stays deaf until it is given up.
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
        // The next look asks for it again, over the stream that there is by then.
        subscribed.remove(id)
        return
      }
    }
  }
}

extension ServerMessage.Kind {
  /// Whether a session may stand otherwise since.
  var isNews: Bool {
    switch self {
    case .permissionRequest, .permissionExpired, .permissionCancelled, .agentStart, .agentEnd,
      .stopConfirmed, .stopFailed, .sessionEnded, .sessionDeleted, .error, .question:
      true
    default: false
    }
  }
}
