// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

/// The news of one session, across lost connections.
///
/// It is asked for news and never calls back, so that its owner decides between them what to draw
/// and when to stop. No durable event is given twice, and none is left out that the server still
/// has; where the server's memory does not reach back, the trace of the conversation takes its place.
package struct SessionFeed: Sendable {
  /// One piece of news.
  package enum News: Sendable {
    case message(ServerMessage)
    /// Events may be missing; this is how the session stands.
    case resynced(Session, trace: JSONValue)
    /// The connection is gone; the next try comes by itself.
    case lost(IntentError, retryIn: Duration)
    /// The connection stands again.
    case reconnected
  }

  /// Servers ping every 30 s; a stream that says nothing for longer than two of these is dead.
  private static let silence = Duration.seconds(75)
  private static let connectLimit = Duration.seconds(5)
  private static let longestPause = 30

  private let api: IntentAPIClient
  private let newID: @Sendable () -> String
  private var session: ServerSession
  private var socket: IntentWebSocket?
  private var backlog: [News] = []
  /// The counter of the last durable event that was given out.
  private var lastSequence = 0
  private var subscribeID = ""
  private var failures = 0
  private var retryAt: EventLoop.Instant?

  /// Makes the feed of a session; a stream that is open already is gone on with.
  package init(
    api: IntentAPIClient,
    session: ServerSession,
    adopting stream: OpenStream? = nil,
    newID: @escaping @Sendable () -> String
  ) {
    self.api = api
    self.session = session
    self.newID = newID
    socket = stream?.socket
    backlog = stream?.backlog.map(News.message) ?? []
  }

  /// Returns the next news, `nil` when the time has come first.
  ///
  /// - Throws: Where the first connection fails, or the server refuses for good (the token, the
  ///   certificate, an unknown session).
  package mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(IntentError) -> News? {
    while true {
      if !backlog.isEmpty, let news = admit(backlog.removeFirst()) { return news }
      guard backlog.isEmpty else { continue }
      guard let socket else {
        guard try await connect(until: deadline) else { return nil }
        continue
      }
      do {
        let message = try await socket.receive(until: deadline ?? .now + Self.silence)
        try await take(message)
      } catch .noAnswer {
        guard await socket.isSilent(for: Self.silence) else { return nil }
        return lose(.noAnswer(server: api.serverName))
      } catch {
        guard error.isPassing else { throw error }
        return lose(error)
      }
    }
  }

  /// The stream as it stands, over which others may send; `nil` while the connection is lost.
  package var stream: IntentWebSocket? { socket }

  /// Sends a message to the session.
  package func send(
    _ message: ClientMessage,
    id: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    guard let socket else { throw .hungUp(server: api.serverName) }
    try await socket.send([.init(message, id: id)], to: session.id, until: deadline)
  }

  /// Says goodbye.
  package func close() async {
    await socket?.close()
  }
}

// MARK: - Order

extension SessionFeed {
  /// Passes news on, except a durable event that was given out before.
  private mutating func admit(_ news: News) -> News? {
    guard case .message(let message) = news, isOurs(message), let sequence = message.sequence
    else { return news }
    guard sequence > lastSequence else { return nil }
    lastSequence = sequence
    return news
  }

  private func isOurs(_ message: ServerMessage) -> Bool {
    message.sessionID == nil || message.sessionID == session.id
  }

  private mutating func take(_ message: ServerMessage) async throws(IntentError) {
    backlog.append(.message(message))
    guard isOurs(message) else { return }
    switch message.kind {
    case .connected(let current, let sequence) where current.id == session.id:
      session.workspaceID = session.workspaceID ?? current.workspaceID
      session.workspaceName = session.workspaceName ?? current.workspaceName
      // A counter that fell back belongs to an agent that was started anew.
      if sequence < lastSequence { try await resync() }
    case .commandResult(let result) where result.requestID == subscribeID:
      if let failure = result.failure {
        throw .rejected(message: failure.safeLine(), server: api.serverName)
      }
      if result.data["catchUpComplete"] == false { try await resync() }
    default: break
    }
  }

  /// Takes the trace in place of events that cannot be had.
  private mutating func resync() async throws(IntentError) {
    lastSequence = 0
    guard let workspaceID = session.workspaceID else { return }
    let (current, trace) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: .now + Self.connectLimit
    )
    backlog.append(.resynced(current, trace: trace))
  }
}

// MARK: - Connections

extension SessionFeed {
  /// Opens the stream, waiting for the time of the next try; false when the deadline came first.
  private mutating func connect(
    until deadline: EventLoop.Instant?
  ) async throws(IntentError) -> Bool {
    if let retryAt {
      let wake = min(retryAt, deadline ?? retryAt)
      do {
        try await api.network.loop.sleep(until: wake)
      } catch {
        throw .transport(.cancelled, server: api.serverName)
      }
      guard wake == retryAt else { return false }
    }
    let isFirst = retryAt == nil
    do {
      let opener = SessionStreamOpener(api: api)
      let socket = try await opener.open(for: session, until: .now + Self.connectLimit)
      self.socket = socket
      session.server.dialect = socket.dialect
      try await subscribe(over: socket)
      failures = 0
      if !isFirst { backlog.insert(.reconnected, at: 0) }
    } catch {
      guard !isFirst, error.isPassing else { throw error }
      backlog.append(lose(error))
    }
    return true
  }

  private mutating func subscribe(over socket: IntentWebSocket) async throws(IntentError) {
    let deadline = EventLoop.Instant.now + Self.connectLimit
    switch socket.dialect {
    case .multiplexed:
      subscribeID = newID()
      let message = ClientMessage.subscribe(since: lastSequence > 0 ? lastSequence : nil)
      try await socket.send([.init(message, id: subscribeID)], to: session.id, until: deadline)
    case .perSession:
      guard lastSequence > 0, let workspaceID = session.workspaceID else { return }
      let missed = try await api.events(
        of: session.id,
        workspaceID: workspaceID,
        since: lastSequence,
        until: deadline
      )
      guard let missed else { return try await resync() }
      backlog += missed.map(News.message)
    }
  }

  /// Gives the connection up and sets the time of the next try: one second, then twice as long each
  /// time, spread so that many followers do not come back at once.
  private mutating func lose(_ error: IntentError) -> News {
    socket = nil
    let pause = min(1 << min(failures, 10), Self.longestPause)
    failures += 1
    let spread = Duration.milliseconds(Int.random(in: 0...(pause * 250)))
    let wait = failures == 1 ? .milliseconds(200) + spread : .seconds(pause) + spread
    retryAt = .now + wait
    return .lost(error, retryIn: wait)
  }
}

extension IntentError {
  /// Whether trying again may help.
  fileprivate var isPassing: Bool {
    switch self {
    case .hungUp, .noAnswer: true
    case .refused(let status, _, _): status >= 500 || status == 429
    case .transport(let cause, _):
      switch cause {
      case .timedOut, .lookupFailed, .connectFailed, .closed, .ioFailed, .proxyFailed: true
      default: false
      }
    default: false
    }
  }
}
