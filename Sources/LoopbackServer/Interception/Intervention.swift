// SPDX-License-Identifier: MIT

package import HTTPCodec
package import OppiModel
package import WebSocketCodec

/// Decides at every step what a server does; called on the server's thread.
package typealias Interceptor = @Sendable (Step) -> Intervention

/// What a server does at a step in place of, or around, the right thing.
///
/// What has no meaning at a step, such as an HTTP answer to a WebSocket message, cuts the connection.
package enum Intervention: Sendable {
  /// The right thing.
  case proceed
  /// The right thing; from now on all bytes of the connection go out in pieces of so many, each in a
  /// write of its own.
  case proceedInPieces(size: Int)
  /// The right thing; from now on all messages of the connection are fragmented into frames of so
  /// many bytes.
  case proceedFragmented(size: Int)
  /// Nothing, as if the step had not been.
  case ignore
  /// Nothing, now and later, on a connection that stays open; it is still read and journalled.
  case hang
  /// Cuts the connection at once, without a close frame or TLS's farewell.
  case drop
  /// Does the work, such as making a session or starting a turn, and cuts the connection instead of
  /// answering.
  case performThenDrop
  /// Answers a request so, and then reads the next one.
  case answer(HTTPResponse)
  /// Sends these WebSocket messages instead of doing the work.
  case reply([JSONValue])
  /// Closes the WebSocket with a code and a reason.
  case close(CloseCode?, reason: String)
  /// Writes raw bytes, on a WebSocket between two frames.
  case send([UInt8], then: Continuation)

  /// What follows raw bytes.
  package enum Continuation: Sendable {
    case proceed
    case ignore
    case hang
    case drop
  }

  /// The intervention that follows raw bytes.
  var continued: Intervention {
    guard case .send(_, let continuation) = self else { return self }
    return switch continuation {
    case .proceed: .proceed
    case .ignore: .ignore
    case .hang: .hang
    case .drop: .drop
    }
  }
}

extension Intervention {
  /// The server's refusal of a WebSocket message, in its own words.
  package static func refuse(_ message: JSONValue, error: String) -> Intervention {
    .reply([
      .object([
        "type": "command_result",
        "command": message["type"],
        "requestId": message["requestId"].string.map(JSONValue.string),
        "sessionId": message["sessionId"].string.map(JSONValue.string),
        "success": false,
        "error": .string(error),
      ])
    ])
  }

  /// An ordinary error answer to a request, with the server's JSON body.
  package static func answer(status: Int, error: String) -> Intervention {
    .answer(.error(status, error))
  }

  /// An answer of success with another body than the server's own.
  package static func answer(json: JSONValue) -> Intervention { .answer(.json(json)) }
}

/// A moment at which a server can be made to misbehave; connections are numbered from 1.
package enum Step: Sendable {
  /// A connection was accepted; nothing was read from it, and TLS has not begun.
  case accepted(connection: Int)
  /// A request was read, an upgrade included.
  case request(HTTPRequest, connection: Int)
  /// An upgrade was granted; nothing was sent over the WebSocket.
  case opened(target: String, connection: Int)
  /// A WebSocket message was read.
  case message(JSONValue, connection: Int)
}
