// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

struct Stream {
  enum Kind: Sendable, Equatable {
    case multiplexed
    case session(String)
  }

  enum Level: String {
    case full
    case notifications
  }

  /// A subscription to one loaded agent of a session; it ends with the agent.
  struct Subscription {
    let level: Level
    /// The number of the agent; `nil` if none was loaded.
    let agent: Int?
  }

  let kind: Kind
  let sender: Sender
  var subscriptions: [String: Subscription] = [:]
  private var recentSubscribes: [EventLoop.Instant] = []

  init(kind: Kind, sender: Sender) {
    self.kind = kind
    self.sender = sender
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

  /// Sends an event; a session's own stream omits the session's ID.
  func send(_ event: JSONValue, about sessionID: String?) {
    let id = kind == .multiplexed ? sessionID : nil
    sender.send(event.adding(["sessionId": id.map(JSONValue.string)]))
  }

  func isSubscribed(to sessionID: String, at level: Level) -> Bool {
    subscriptions[sessionID]?.level == level
  }
}
