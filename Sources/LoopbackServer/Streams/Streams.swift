// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The open streams of a server, by the numbers of their connections.
struct Streams {
  private var all: [Int: Stream] = [:]
  /// Counts what was pushed to all streams.
  private var pushed = 0

  subscript(id: Int) -> Stream? { all[id] }

  /// The streams in the order in which they were opened.
  private var inOrder: [Stream] { all.sorted { $0.key < $1.key }.map(\.value) }

  mutating func open(_ id: Int, _ stream: Stream) {
    all[id] = stream
  }

  mutating func close(_ id: Int) {
    all[id] = nil
  }

  // MARK: - Subscriptions

  /// Counts a subscribe; false where there were too many lately, or the stream is gone.
  mutating func maySubscribe(_ id: Int, now: EventLoop.Instant) -> Bool {
    all[id]?.maySubscribe(now: now) == true
  }

  mutating func subscribe(_ id: Int, to session: LiveSession, at level: Stream.Level) {
    all[id]?.subscriptions[session.id] = Stream.Subscription(
      level: level,
      agent: session.agent?.number
    )
  }

  mutating func unsubscribe(_ id: Int, from sessionID: String) {
    all[id]?.subscriptions[sessionID] = nil
  }

  // MARK: - Events

  /// The kinds of events that those get who subscribed for notifications only.
  private static let notifications: Set<String> = [
    "permission_request", "permission_expired", "permission_cancelled", "agent_start", "agent_end",
    "state", "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "error",
  ]

  /// Sends an event of a session to the streams that subscribed to its agent.
  func send(_ event: JSONValue, of type: String, from agent: Agent, of sessionID: String) {
    for stream in inOrder {
      guard let subscription = stream.subscriptions[sessionID],
        subscription.agent == agent.number,
        subscription.level == .full || Self.notifications.contains(type)
      else { continue }
      stream.send(event, about: sessionID)
    }
  }

  /// Pushes an event to every stream, subscribed or not.
  mutating func push(_ event: JSONValue) {
    pushed += 1
    let numbered = event.adding(["streamSeq": .number(pushed)])
    for stream in inOrder { stream.sender.send(numbered) }
  }
}
