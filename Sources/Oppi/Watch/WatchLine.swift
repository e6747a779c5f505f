// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiWire

/// The connection over which a server reports events to a watcher, across losses; it starts no agent.
///
/// The socket for the events of all sessions is cut when the access token of its handshake expires;
/// the connection that follows is normal operation. The stream of a server of spring 2026 reports no
/// questions, and only the sessions with a subscription to their notifications.
actor WatchLine {
  private static let limit = Duration.seconds(10)
  /// A connection that the server ended as planned after this time is opened again at once.
  private static let leastLife = Duration.seconds(1)
  /// How often to check whether a server without such a connection speaks another dialect.
  private static let checkInterval = Duration.seconds(2)
  /// The interval of all attempts while the server refuses access to this device, unless it is
  /// paired again.
  private static let refusedInterval = Duration.seconds(300)
  /// Below a server's limit of 30 subscriptions in 5 s.
  private static let burst = 25

  private var server: PairedServer
  private let context: Services
  private var loop: EventLoop { context.loop }
  /// The open connection.
  private var socket: IntentWebSocket?
  private var reportsAll = false
  private var news = AppEventNews()
  private var subscribed: Set<String> = []

  init(to server: PairedServer, in context: Services) {
    self.server = server
    self.context = context
  }

  /// Whether the open connection reports everything that a query would find, questions included.
  var isComplete: Bool { socket != nil && reportsAll }

  /// The errors of turns that the open connection has reported, by session id.
  var failures: [String: String] { news.failures }

  // MARK: - One connection

  /// Opens the connection for events; `nil` on servers without one.
  ///
  /// A server whose dialect is unknown may be of the dialect of spring 2026.
  private func open(over calls: ServerCalls) async throws(OppiError) -> IntentWebSocket? {
    let updates = calls.dialect?.updates ?? .counter
    guard updates != .polling else { return nil }
    do throws(OppiError) {
      let isComplete = updates == .appEvents
      let socket: IntentWebSocket =
        isComplete ? try await calls.openAppEvents() : try await calls.openMultiplexed()
      (self.socket, reportsAll) = (socket, isComplete)
      (news, subscribed) = (AppEventNews(), [])
      return socket
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// Receives messages until the connection is lost, and calls `report` after those after which the
  /// sessions must be read again.
  private func receive(
    over socket: IntentWebSocket,
    _ report: @Sendable () -> Void
  ) async throws(OppiError) {
    while true {
      do throws(OppiError) {
        if try await receivesNews(over: socket, until: socket.silenceEnd) { report() }
      } catch  where error.reason == .noAnswer {
        if await socket.isDead { throw .hungUp(server: socket.serverName) }
      }
    }
  }

  /// Receives a message; returns whether it is news.
  private func receivesNews(
    over socket: IntentWebSocket,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Bool {
    let (message, _) = try await socket.receive(until: deadline)
    if reportsAll { return news.take(message) }
    if case .sessionEnded = message.kind, let id = message.sessionID { subscribed.remove(id) }
    return message.kind.isNews
  }

  /// Follows the loaded agents of a server, whose dialect a query may have updated: subscribes to
  /// exactly their sessions if that is needed.
  func follow(_ loaded: Set<String>, on server: PairedServer) async {
    self.server = server
    guard let socket, !reportsAll else { return }
    let deadline = loop.now + Self.limit
    for id in subscribed.subtracting(loaded) {
      subscribed.remove(id)
      // Further messages of the session are harmless.
      try? await socket.send([.init(.unsubscribe, id: socket.newID())], to: id, until: deadline)
    }
    for id in loaded.subtracting(subscribed).sorted().prefix(Self.burst) {
      subscribed.insert(id)
      // A subscription from before the agent's end receives nothing until it is renewed.
      do throws(OppiError) {
        try await socket.send(
          [
            .init(.unsubscribe, id: socket.newID()),
            .init(.subscribeToNotifications, id: socket.newID()),
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

  // MARK: - All connections

  /// Keeps a connection open and calls `report` after events.
  ///
  /// - Throws: `CancellationError`.
  func listen(_ report: @Sendable () -> Void) async throws {
    var reconnect = Reconnect(timeout: nil)
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
        if let socket = try await open(over: api.within(Self.limit)) {
          reconnect.succeeded(at: begin.duration(to: loop.now))
          openedAt = loop.now
          // What happened meanwhile is not reported again.
          report()
          if !isFirst { await check(api) }
          isFirst = false
          try await receive(over: socket, report)
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
      if openedAt == nil, isLost { report() }
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
    let end = loop.now + Self.refusedInterval
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
    let last = socket
    socket = nil
    await last?.close()
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
