// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import WebSocketCodec

struct Stream {
  enum Kind: Sendable, Equatable {
    case multiplexed
    /// A session's own stream on the first servers.
    case session(String)
    /// A session's socket, which hears nothing until it is set up.
    case socket(String)
    /// The socket of a session that does not exist; closed after the upgrade.
    case missingSession
    case appEvents
    /// A command over REST; what it is sent becomes the response.
    case command(String)

    /// The session of a stream that has only one.
    var sessionID: String? {
      switch self {
      case .session(let id), .socket(let id), .command(let id): id
      case .multiplexed, .missingSession, .appEvents: nil
      }
    }

    var isFirst: Bool { if case .session = self { true } else { false } }
    var isSocket: Bool { if case .socket = self { true } else { false } }
    var isCommand: Bool { if case .command = self { true } else { false } }
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
  let sender: any Outlet
  /// Whether messages are handled; otherwise they are lost.
  var isListening: Bool
  var subscriptions: [String: Subscription] = [:]
  private var recentSubscribes: [EventLoop.Instant] = []

  init(kind: Kind, sender: any Outlet) {
    self.kind = kind
    self.sender = sender
    isListening = !kind.isSocket
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

  /// Sends an event; a session's own stream on the first servers omits the session's ID.
  func send(_ event: JSONValue, about sessionID: String?) {
    let id = kind.isFirst ? nil : kind.sessionID ?? sessionID
    sender.send(event.adding(["sessionId": id.map(JSONValue.string)]))
  }

  func isSubscribed(to sessionID: String, at level: Level) -> Bool {
    subscriptions[sessionID]?.level == level
  }
}

extension CloseCode {
  /// The peer violated a policy of the server, 1008.
  static let policyViolation = CloseCode(rawValue: 1008)
  /// The server failed, 1011.
  static let internalError = CloseCode(rawValue: 1011)
  /// The token of the connection has expired.
  static let authorizationExpired = CloseCode(rawValue: 4001)
}
