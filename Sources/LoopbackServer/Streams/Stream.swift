// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// An open WebSocket as the sessions see it.
struct Stream {
  /// Which path was asked for.
  enum Kind: Sendable, Equatable {
    case multiplexed
    case session(String)
  }

  /// How much of a session is sent.
  enum Level: String {
    case full
    case notifications
  }

  /// A wish to hear of a session; it hears of one loaded agent, and of nothing after its end.
  struct Subscription {
    let level: Level
    /// The number of the agent; `nil` where none was loaded.
    let agent: Int?
  }

  let kind: Kind
  let sender: Sender
  /// By session id.
  var subscriptions: [String: Subscription] = [:]
  private var recentSubscribes: [EventLoop.Instant] = []

  init(kind: Kind, sender: Sender) {
    self.kind = kind
    self.sender = sender
  }

  private static let subscribeLimit = 30
  private static let subscribeWindow = Duration.seconds(5)

  /// Counts a subscribe; false where there were too many lately.
  mutating func maySubscribe(now: EventLoop.Instant) -> Bool {
    recentSubscribes.removeAll { $0 + Self.subscribeWindow <= now }
    guard recentSubscribes.count < Self.subscribeLimit else { return false }
    recentSubscribes.append(now)
    return true
  }

  /// Sends an event; on a session's own stream nobody needs the session's id.
  func send(_ event: JSONValue, about sessionID: String?) {
    let id = kind == .multiplexed ? sessionID : nil
    sender.send(event.adding(["sessionId": id.map(JSONValue.string)]))
  }

  func isSubscribed(to sessionID: String, at level: Level) -> Bool {
    subscriptions[sessionID]?.level == level
  }
}
