// SPDX-License-Identifier: MIT

import HTTPCodec
package import OppiModel

package struct Journal: Sendable {
  package enum Entry: Sendable {
    /// A connection was accepted; connections are numbered from 1.
    case accepted(connection: Int)
    case request(Request)
    case message(Message)
    case pong(connection: Int)
    case closed(connection: Int, code: UInt16?)
    case ended(connection: Int)
    case run(Run)
  }

  /// An HTTP request, without secrets.
  package struct Request: Sendable, Equatable {
    package var connection: Int
    package var method: String
    /// The target without the query.
    package var path: String
    package var body: [UInt8]
    /// Whether the request had a token, valid or not.
    package var hasToken: Bool
    /// The status of the response; `nil` until one is sent.
    package var status: Int?
  }

  package struct Message: Sendable, Equatable {
    package var connection: Int
    package var text: String
    /// The message as JSON; `.null` if it is invalid.
    package var json: JSONValue

    package var type: String? { json["type"].string }
    package var sessionID: String? { json["sessionId"].string }
  }

  /// A prompt delivered to an agent, immediately or from the queue.
  package struct Run: Sendable, Equatable {
    package var sessionID: String
    package var text: String
    /// The turn's ID if the client sent one.
    package var clientTurnID: String?

    package init(sessionID: String, text: String, clientTurnID: String? = nil) {
      self.sessionID = sessionID
      self.text = text
      self.clientTurnID = clientTurnID
    }
  }

  package internal(set) var entries: [Entry] = []

  package var connections: Int {
    entries.count { if case .accepted = $0 { true } else { false } }
  }

  package var endedConnections: Int {
    entries.count { if case .ended = $0 { true } else { false } }
  }

  package var requests: [Request] {
    entries.compactMap { if case .request(let request) = $0 { request } else { nil } }
  }

  package var messages: [Message] {
    entries.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  /// The delivered prompts in order; rejected and lost prompts are not included.
  package var runs: [Run] {
    entries.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  package var pongs: Int {
    entries.count { if case .pong = $0 { true } else { false } }
  }

  /// The codes of the received close frames; 1005 for a frame without a code.
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
