// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
import OppiText
import OppiTransport
package import OppiWire
import Synchronization

package enum SessionNews: Sendable {
  /// A message with the changes of the activity, which only a ``TurnFollower`` knows; no message if
  /// the passing of time caused them.
  case changes([ActivityChange], of: ServerMessage?)
  /// Changes from before the first connection, or from a gap between connections.
  case past([ActivityChange])
  /// The connection is open, and all missed events that the server still has were returned.
  case caughtUp(FeedState.CatchUp)
  /// The stream ended as planned; another one is opened at once, unless the feed rests because the
  /// session has ended. A catch-up or a loss follows.
  case renewing
  /// The connection is lost; the feed retries automatically.
  case lost(OppiError)
  /// The server was away for longer than the timeout; no more news follow.
  case givenUp(OppiError)
}

/// The news of one session, across lost connections.
///
/// The owner pulls the news, so that it can draw or stop between any two. No durable event is
/// returned twice, and none is omitted that the server still has. After each connection,
/// ``SessionNews/caughtUp(_:)`` reports the session's state and whether events are missing.
package struct SessionFeed: Sendable {
  /// Agents that start one after another may take minutes; this limits the wait for a server that
  /// responds but admits no subscription.
  private static let startLimit = Duration.seconds(300)
  private static let connectLimit = Duration.seconds(5)

  private let api: IntentAPIClient
  private let begin: EventLoop.Instant
  /// Wakes a feed that rests after the end of its session; `nil` if it never rests.
  private let wakeSignal: WakeSignal?
  private(set) var session: ServerSession
  /// The current stream, over which the owner may send; `nil` while the connection is lost.
  package private(set) var stream: IntentWebSocket?
  private var state: FeedState
  private var backlog: ArraySlice<SessionNews> = []
  private var subscribeID = ""
  /// The deadline for the session's state on the current stream.
  private var standingDeadline: EventLoop.Instant
  private var lastError: OppiError

  /// Creates a feed that gives up if the server is away for longer than `timeout`; `nil` for
  /// never.
  package init(
    api: IntentAPIClient,
    session: ServerSession,
    timeout: Duration?,
    wokenBy wakeSignal: WakeSignal? = nil
  ) {
    self.api = api
    self.session = session
    self.wakeSignal = wakeSignal
    begin = api.loop.now
    state = FeedState(sessionID: session.id, timeout: timeout)
    lastError = .hungUp(server: api.serverName)
    standingDeadline = begin
  }

  /// Continues with a stream that is, or was until now, subscribed to the session.
  mutating func adopt(_ open: StreamHandover) {
    stream = open.socket
    state.adopt(anchor: open.anchor, epoch: open.epoch, isOpen: stream != nil, at: now)
    for message in open.backlog { _ = take(message) }
  }

  /// Why the connection is lost; `nil` while it is open or the first one is being made.
  var absence: OppiError? {
    switch state.phase {
    case .lost, .givenUp: lastError
    case .opening: !state.hasConnected || state.isRenewing ? nil : lastError
    case .fetching, .catchingUp, .live, .resting: nil
    }
  }

  /// The time since the feed started.
  var now: FeedState.Moment { begin.duration(to: api.loop.now) }

  func instant(_ moment: FeedState.Moment) -> EventLoop.Instant { begin + moment }

  var loop: EventLoop { api.loop }

  /// Returns the next news, or `nil` if the deadline comes first.
  ///
  /// - Throws: If the first connection fails, or the server refuses permanently (token,
  ///   certificate, unknown session).
  mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(OppiError) -> SessionNews? {
    while true {
      if let news = backlog.popFirst() {
        // Lets deadlines and signals through during a long backlog; frees the memory after it.
        if backlog.isEmpty { backlog = [] } else { await Task.yield() }
        return news
      }
      switch state.phase {
      case .opening: try await connect()
      case .lost(let moment):
        guard try await sleep(until: begin + moment, or: deadline) else { return nil }
        state.retry(at: now)
      case .fetching: try await fetch()
      case .resting:
        guard try await rest(until: deadline) else { return nil }
        state.wake()
      case .givenUp: return .givenUp(lastError)
      case .catchingUp, .live:
        guard try await receive(until: deadline) else { return nil }
      }
    }
  }

  func send(
    _ message: ClientMessage,
    id: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    guard let stream else { throw .hungUp(server: api.serverName) }
    try await stream.send([.init(message, id: id)], to: session.id, until: deadline)
  }

  /// The session and its trace, for data that the stream does not have.
  func trace() async throws(OppiError) -> (session: Session, trace: JSONValue) {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    return try await api.within(Self.connectLimit).session(session.id, workspaceID: workspaceID)
  }

  package func close() async { await stream?.close() }
}

// MARK: - Messages

extension SessionFeed {
  /// Reads the next message; false if the deadline comes first.
  private mutating func receive(
    until deadline: EventLoop.Instant?
  ) async throws(OppiError) -> Bool {
    guard let stream else {
      lose(.hungUp(server: api.serverName))
      return true
    }
    do throws(OppiError) {
      let (message, _) = try await stream.receive(until: wake(by: deadline, or: stream.silenceEnd))
      if let refusal = take(message) { throw refusal }
    } catch  where error.reason == .noAnswer {
      if await stream.isDead {
        lose(.noAnswer(server: api.serverName))
      } else if isOverdue {
        await stream.close()
        // Another first attempt would take as long.
        try fail(error, mayRetry: !state.isFirst)
      } else if let deadline, deadline <= api.loop.now {
        return false
      }
    } catch {
      try fail(error)
    }
    return true
  }

  /// When to check the stream, even without a message.
  private func wake(
    by deadline: EventLoop.Instant?,
    or silenceEnd: EventLoop.Instant
  ) -> EventLoop.Instant {
    let wake = min(deadline ?? silenceEnd, silenceEnd)
    return state.isCatchingUp ? min(wake, standingDeadline) : wake
  }

  /// Whether the server has not admitted the subscription in time.
  private var isOverdue: Bool { state.isCatchingUp && standingDeadline <= api.loop.now }

  /// Handles a message; returns the server's refusal of the subscription, if it is one.
  private mutating func take(_ message: ServerMessage) -> OppiError? {
    if case .connected(let current, _) = message.kind, current.id == session.id {
      session.workspaceID = session.workspaceID ?? current.workspaceID
      session.workspaceName = session.workspaceName ?? current.workspaceName
    }
    let reading = state.read(message, requestID: subscribeID, at: now)
    if reading.isNews { backlog += message.pieces.map { .changes([], of: $0) } }
    if let catchUp = reading.catchUp { backlog.append(.caughtUp(catchUp)) }
    return reading.refusal.map { .notSubscribed($0, server: api.serverName) }
  }

  /// Requests the missed events from a server whose streams do not repeat them.
  private mutating func fetch() async throws(OppiError) {
    var missed: ServerCalls.Events?
    if let workspaceID = session.workspaceID, let anchor = state.anchor {
      do {
        missed = try await api.within(Self.connectLimit)
          .events(of: session.id, workspaceID: workspaceID, since: anchor)
      } catch {
        return try fail(error)
      }
    }
    let (news, catchUp) = state.fetched(missed?.events, of: missed?.epoch, at: now)
    backlog += news.map { .changes([], of: $0) }
    if let catchUp { backlog.append(.caughtUp(catchUp)) }
  }
}

// MARK: - Connections

extension SessionFeed {
  private mutating func connect() async throws(OppiError) {
    do {
      let stream = try await api.within(Self.connectLimit).openStream(of: session)
      self.stream = stream
      standingDeadline = api.loop.now + Self.startLimit
      session.server.learn(stream.kind)
      state.opened(stream.kind)
      guard stream.kind.subscribes else { return }
      subscribeID = api.loop.newID()
      let message = ClientMessage.subscribe(since: state.anchor)
      let deadline = api.loop.now + Self.connectLimit
      try await stream.send([.init(message, id: subscribeID)], to: session.id, until: deadline)
    } catch {
      try fail(error)
    }
  }

  /// Gives up the connection for now, or throws if a retry cannot help.
  private mutating func fail(_ error: OppiError, mayRetry: Bool = true) throws(OppiError) {
    if error.isPlanned, wakeSignal != nil && state.rest() || state.expired() {
      stream = nil
      return backlog.append(.renewing)
    }
    guard error.isPassing || (!state.isFirst && error.isRefusedStart) else {
      throw error
    }
    // The server's last message says more than the end of the stream.
    let farewell = state.isFirst ? state.farewell : nil
    guard state.hasConnected, mayRetry, farewell == nil else {
      throw farewell.map { .notSubscribed($0, server: api.serverName) } ?? error
    }
    lose(error)
  }

  private mutating func lose(_ error: OppiError) {
    stream = nil
    lastError = error
    var random = api.loop.random
    state.failed(at: now, spread: .random(in: 0...1, using: &random))
    if case .lost = state.phase { backlog.append(.lost(error)) }
  }

  /// Waits until the owner wants a stream again; false if the deadline comes first.
  private func rest(until deadline: EventLoop.Instant?) async throws(OppiError) -> Bool {
    let (loop, wakeSignal) = (api.loop, wakeSignal)
    let isWoken = await withTaskGroup(of: Bool.self) { group in
      group.addTask { await wakeSignal?.wait() ?? false }
      if let deadline {
        group.addTask {
          try? await loop.sleep(until: deadline)
          return false
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard !Task.isCancelled else { throw .transport(.cancelled, server: api.serverName) }
    return isWoken
  }

  /// Waits until a moment; false if the deadline comes first.
  private func sleep(
    until moment: EventLoop.Instant,
    or deadline: EventLoop.Instant?
  ) async throws(OppiError) -> Bool {
    do {
      try await api.loop.sleep(until: min(moment, deadline ?? moment))
    } catch {
      throw .transport(.cancelled, server: api.serverName)
    }
    return deadline.map { moment <= $0 } ?? true
  }
}

/// A signal from any task to the one task that waits for it.
package final class WakeSignal: Sendable {
  private enum State: Sendable {
    case silent
    /// Sent while nothing waited.
    case sent
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.silent)

  package init() {}

  package func send() {
    state.withLock { state in
      guard case .awaited(let waiter) = state else {
        state = .sent
        return
      }
      state = .silent
      waiter.resume()
    }
  }

  /// Waits until the signal is sent, or was sent since the last wait; false if the task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        state.withLock { state in
          if case .silent = state, !Task.isCancelled {
            state = .awaited(waiter)
            return
          }
          state = .silent
          waiter.resume()
        }
      }
      return !Task.isCancelled
    } onCancel: {
      state.withLock { state in
        guard case .awaited(let waiter) = state else { return }
        state = .silent
        waiter.resume()
      }
    }
  }
}
