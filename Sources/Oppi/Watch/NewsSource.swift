// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// An open connection over which a server reports events to a watcher; it starts no agent.
protocol NewsSource: Sendable {
  /// Whether it reports the events of all sessions, questions included.
  var isComplete: Bool { get }

  /// Receives messages until the connection is lost, and calls `tell` after those after which the
  /// sessions must be read again.
  func receive(_ tell: @Sendable () -> Void) async throws(OppiError)

  /// Follows the events of these loaded agents.
  func follow(_ loaded: Set<String>) async

  func close() async
}

extension ServerCalls {
  /// Opens the connection for events; `nil` on servers without one.
  ///
  /// A server whose dialect is unknown may be of the dialect of spring 2026.
  func openNews() async throws(OppiError) -> (any NewsSource)? {
    do {
      switch dialect?.updates ?? .counter {
      case .polling: return nil
      case .counter:
        return SubscribedNews(try await .openMultiplexed(self), on: loop)
      case .appEvents: return AppEventNewsSource(try await .openAppEvents(self), on: loop)
      }
    } catch  where error.isNotFound {
      return nil
    }
  }
}

/// The socket for the events of all sessions of a server.
///
/// It is cut when the access token of its handshake expires; the connection that follows is normal
/// operation.
struct AppEventNewsSource: NewsSource {
  private let socket: IntentWebSocket
  private let loop: EventLoop

  init(_ socket: IntentWebSocket, on loop: EventLoop) {
    (self.socket, self.loop) = (socket, loop)
  }

  var isComplete: Bool { true }

  func receive(_ tell: @Sendable () -> Void) async throws(OppiError) {
    var news = AppEventNews()
    while true {
      do throws(OppiError) {
        let message = try await socket.receive(until: loop.now + WatchLine.silenceLimit) {
          AppEventNews.message(in: $0)
        }
        if news.take(message) { tell() }
      } catch  where error.reason == .noAnswer {
        if await socket.isSilent(for: WatchLine.silenceLimit) {
          throw .hungUp(server: socket.serverName)
        }
      }
    }
  }

  func follow(_ loaded: Set<String>) async {}

  func close() async { await socket.close() }
}

/// The stream of a server of spring 2026, with subscriptions to the notifications of loaded sessions
/// only, so that no agent is started.
actor SubscribedNews: NewsSource {
  /// Below a server's limit of 30 subscriptions in 5 s.
  private static let burst = 25
  private static let limit = Duration.seconds(10)

  private let stream: IntentWebSocket
  private let loop: EventLoop
  private var subscribed: Set<String> = []

  init(_ stream: IntentWebSocket, on loop: EventLoop) {
    (self.stream, self.loop) = (stream, loop)
  }

  /// A stream reports no questions, and nothing of sessions without a subscription.
  nonisolated var isComplete: Bool { false }

  func receive(_ tell: @Sendable () -> Void) async throws(OppiError) {
    while true {
      do throws(OppiError) {
        let message = try await stream.receive(until: loop.now + WatchLine.silenceLimit)
        if case .sessionEnded = message.kind, let id = message.sessionID { subscribed.remove(id) }
        if message.kind.isNews { tell() }
      } catch  where error.reason == .noAnswer {
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
      do throws(OppiError) {
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

/// Checks cheaply whether a full query of a server would find events that its stream does not
/// report: those of sessions without a subscription, and questions.
struct ChangeProbe: Sendable {
  /// The most running sessions to check, with one request each.
  private static let limit = 20

  /// Whether the server counts the events of all its sessions.
  private(set) var isCounted = false
  private var count: Int?
  /// The event counters of the running sessions, by session id.
  private var sequences: [String: Int] = [:]

  /// Returns whether anything may have happened since the last call.
  ///
  /// - Throws: If the server cannot be queried.
  mutating func hasNews(
    of running: [Session],
    _ calls: ServerCalls
  ) async throws(OppiError) -> Bool {
    let hasCounter = calls.dialect?.updates.hasCounter ?? true
    let present = hasCounter ? try await calls.eventCount() : nil
    var isNew = present != nil && present != count
    (isCounted, count) = (present != nil, present)
    let before = sequences
    sequences = [:]
    for session in running.prefix(Self.limit) {
      let since = before[session.id]
      let answer = try await calls.events(
        of: session.id,
        workspaceID: session.workspaceID,
        since: since ?? ServerCalls.beyondAllEvents
      )
      guard let answer, let sequence = answer.sequence else {
        // The agent is no longer loaded.
        isNew = true
        continue
      }
      sequences[session.id] = sequence
      guard let since, sequence >= since, let events = answer.events else {
        // Without an earlier counter, a full query must find what happened.
        isNew = true
        continue
      }
      isNew = isNew || events.contains { $0.kind.isNews || $0.kind.isAsking }
    }
    return isNew
  }
}

extension ServerMessage.Kind {
  /// Whether the agent starts to ask a question, which streams do not report to watchers.
  fileprivate var isAsking: Bool {
    if case .toolStart(let call) = self { call.tool == "ask" } else { false }
  }
}
