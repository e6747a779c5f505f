// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiText

/// An open stream of an older server.
struct OlderStream: Sendable {
  enum Level: String, Sendable {
    case full
    case notifications
  }

  /// A subscription to one loaded agent of a session; it ends with the agent.
  struct Subscription: Sendable {
    let level: Level
    /// The number of the agent; `nil` if none was loaded.
    let agent: Int?
  }

  let sender: Sender
  /// Whether messages name their session; those of a session's own stream do not.
  let isMultiplexed: Bool
  var subscriptions: [String: Subscription] = [:]
  private var recentSubscribes: [EventLoop.Instant] = []

  init(_ socket: HostSocket, isMultiplexed: Bool) {
    sender = socket.sender
    self.isMultiplexed = isMultiplexed
  }

  var outlet: Outlet {
    { [sender, isMultiplexed] message, sessionID in
      let id = isMultiplexed ? sessionID.map(JSONValue.string) : nil
      sender.send(message.adding(["sessionId": id]))
    }
  }

  private static let subscribeLimit = 30
  private static let subscribeWindow = Duration.seconds(5)

  /// Counts a subscribe; returns false if there were too many recently.
  mutating func maySubscribe(now: EventLoop.Instant) -> Bool {
    recentSubscribes.removeAll { $0 + Self.subscribeWindow <= now }
    guard recentSubscribes.count < Self.subscribeLimit else { return false }
    recentSubscribes.append(now)
    return true
  }
}

/// The open streams of an older server, by connection number, and the events that all of them get.
struct OlderStreams: Sendable {
  private(set) var log = EventLog(capacity: 2000, counter: "streamSeq")
  private var all: [Int: OlderStream] = [:]

  /// The types of events that notification subscribers receive.
  private static let notifications: Set<String> = [
    "permission_request", "permission_expired", "permission_cancelled", "agent_start", "agent_end",
    "state", "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "error",
  ]

  subscript(id: Int) -> OlderStream? {
    get { all[id] }
    set { all[id] = newValue }
  }

  /// The streams in the order in which they were opened.
  private var inOrder: [OlderStream] { all.sorted { $0.key < $1.key }.map(\.value) }

  /// Sends an event to the streams that are subscribed to the agent.
  mutating func send(_ event: JSONValue, of type: String, from agent: Int, of sessionID: String) {
    if Self.notifications.contains(type) {
      _ = log.append(event.adding(["sessionId": .string(sessionID)]))
    }
    for stream in inOrder {
      guard let subscription = stream.subscriptions[sessionID], subscription.agent == agent,
        subscription.level == .full || Self.notifications.contains(type)
      else { continue }
      stream.outlet(event, sessionID)
    }
  }

  /// Sends an event to every stream, subscribed or not.
  mutating func push(_ event: JSONValue) {
    let numbered = log.append(event)
    for stream in inOrder { stream.sender.send(numbered) }
  }
}
