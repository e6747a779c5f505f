// SPDX-License-Identifier: MIT

import HTTPCodec
package import OppiModel

/// What has happened at a server, in order.
package struct Journal: Sendable {
  /// One event.
  package enum Entry: Sendable {
    /// A connection was accepted; connections are numbered from 1.
    case accepted(connection: Int)
    /// A request arrived, an upgrade included.
    case request(Request)
    /// A WebSocket message arrived.
    case message(Message)
    /// A ping was answered.
    case pong(connection: Int)
    /// A close frame arrived, without a code where it had none.
    case closed(connection: Int, code: UInt16?)
    /// Nothing more came from a connection.
    case ended(connection: Int)
    /// An agent heard a prompt.
    case run(Run)
  }

  /// An HTTP request, without anything secret.
  package struct Request: Sendable, Equatable {
    package var connection: Int
    package var method: String
    /// The target without its query.
    package var path: String
    package var body: [UInt8]
    /// Whether it carried a bearer token, right or wrong.
    package var hasToken: Bool
    /// What was answered; `nil` as long as, or where, nothing was.
    package var status: Int?
  }

  /// A message over a WebSocket.
  package struct Message: Sendable, Equatable {
    package var connection: Int
    package var text: String
    /// The message as JSON, `.null` where it is none.
    package var json: JSONValue

    package var type: String? { json["type"].string }
    package var sessionID: String? { json["sessionId"].string }
  }

  /// A prompt that an agent heard, be it at once or out of the queue.
  package struct Run: Sendable, Equatable {
    package var sessionID: String
    package var text: String
    /// The id that the client gave to the turn, where it gave one.
    package var clientTurnID: String?

    /// Makes a run, as a test expects it.
    package init(sessionID: String, text: String, clientTurnID: String? = nil) {
      self.sessionID = sessionID
      self.text = text
      self.clientTurnID = clientTurnID
    }
  }

  package internal(set) var entries: [Entry] = []

  /// The number of connections so far.
  package var connections: Int {
    entries.count { if case .accepted = $0 { true } else { false } }
  }

  /// The number of connections from which nothing more came.
  package var endedConnections: Int {
    entries.count { if case .ended = $0 { true } else { false } }
  }

  package var requests: [Request] {
    entries.compactMap { if case .request(let request) = $0 { request } else { nil } }
  }

  package var messages: [Message] {
    entries.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  /// What agents heard, one prompt after another; refused and lost ones are not among them.
  package var runs: [Run] {
    entries.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  /// The number of pings that were answered.
  package var pongs: Int {
    entries.count { if case .pong = $0 { true } else { false } }
  }

  /// The codes of the close frames that came, 1005 for one without.
  package var closeCodes: [UInt16] {
    entries.compactMap { if case .closed(_, let code) = $0 { code ?? 1005 } else { nil } }
  }
}

extension Journal.Request {
  init(_ request: HTTPRequest, connection: Int) {
    self.init(
      connection: connection,
      method: request.method,
      path: String(request.target.prefix { $0 != "?" }),
      body: request.body,
      hasToken: request.headers["Authorization"] != nil || request.target.contains("token="),
      status: nil
    )
  }
}
