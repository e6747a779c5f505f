// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The open streams of a server, by connection number.
struct Streams {
  private var all: [Int: Stream] = [:]
  private(set) var eventCount = 0
  private var events: [JSONValue] = []
  private static let eventLimit = 2000

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

  mutating func maySubscribe(_ id: Int, now: EventLoop.Instant) -> Bool {
    all[id]?.maySubscribe(now: now) == true
  }

  mutating func subscribe(_ id: Int, to session: LiveSession, at level: Stream.Level) {
    all[id]?.subscriptions[session.id] = Stream.Subscription(
      level: level,
      agent: session.agent?.number
    )
  }

  /// Makes a session's socket hear the client's messages.
  mutating func listen(_ id: Int) {
    all[id]?.isListening = true
  }

  mutating func unsubscribe(_ id: Int, from sessionID: String) {
    all[id]?.subscriptions[sessionID] = nil
  }

  // MARK: - Events

  /// The types of events that notification subscribers receive.
  private static let notifications: Set<String> = [
    "permission_request", "permission_expired", "permission_cancelled", "agent_start", "agent_end",
    "state", "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "error",
  ]

  /// Sends an event to the streams that are subscribed to the agent.
  mutating func send(_ event: JSONValue, of type: String, from agent: Agent, of sessionID: String) {
    if Self.notifications.contains(type) {
      _ = note(event.adding(["sessionId": .string(sessionID)]))
    }
    for stream in inOrder {
      guard let subscription = stream.subscriptions[sessionID],
        subscription.agent == agent.number,
        subscription.level == .full || Self.notifications.contains(type)
      else { continue }
      stream.send(event, about: sessionID)
    }
  }

  /// Sends an event to every stream, subscribed or not.
  mutating func push(_ event: JSONValue) {
    let numbered = note(event)
    for stream in inOrder { stream.sender.send(numbered) }
  }

  /// Sends an event to the viewers of all sessions.
  func announce(_ event: JSONValue) {
    for stream in inOrder where stream.kind == .appEvents { stream.sender.send(event) }
  }

  private mutating func note(_ event: JSONValue) -> JSONValue {
    eventCount += 1
    let numbered = event.adding(["streamSeq": .number(eventCount)])
    events.append(numbered)
    if events.count > Self.eventLimit { events.removeFirst() }
    return numbered
  }

  /// Returns the events after a number; `nil` if some of them are no longer stored.
  func events(after since: Int) -> [JSONValue]? {
    let missed = eventCount - since
    guard missed > 0 else { return [] }
    return missed <= events.count ? Array(events.suffix(missed)) : nil
  }
}
