// SPDX-License-Identifier: MIT

package import HTTPCodec
import OppiHost
package import OppiText
package import WebSocketCodec

/// Returns the server's behaviour at a step; called on the server's thread.
package typealias Interceptor = @Sendable (Step) -> Intervention

/// A change to the server's normal behaviour at a step.
///
/// Interventions that do not apply to a step, such as an HTTP response to a WebSocket message,
/// close the connection.
package indirect enum Intervention: Sendable {
  case proceed
  /// Behaves normally after a pause.
  case proceedAfter(Duration)
  /// Behaves normally, but from now on writes all bytes in pieces of `size` bytes.
  case proceedInPieces(size: Int)
  /// Behaves normally, but from now on fragments all messages into frames of `size` bytes.
  case proceedFragmented(size: Int)
  /// Does nothing, as if the step had not occurred.
  case ignore
  /// Sends nothing from now on; the connection stays open and is still read and recorded.
  case hang
  /// Closes the connection immediately, without a close frame or TLS close notification.
  case drop
  /// Does the work, such as creating a session, but closes the connection instead of responding.
  case performThenDrop
  /// Sends this response, and then reads the next request.
  case answer(HTTPResponse)
  /// Sends these WebSocket messages instead of doing the work.
  case reply([JSONValue])
  case close(CloseCode?, reason: String)
  /// Sends raw bytes; on a WebSocket between two frames.
  case send([UInt8], then: Intervention)
  /// Behaves normally, but from now on sends raw bytes as fast as the peer reads them, for ever; on a
  /// WebSocket between its own frames. The argument counts the calls.
  case flood(@Sendable (Int) -> [UInt8])
}

extension Intervention {
  /// Rejects a WebSocket message as the real server does.
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

  /// An error response with the server's JSON body.
  package static func answer(status: Int, error: String) -> Intervention {
    .answer(.error(status, error))
  }

  package static func answer(json: JSONValue) -> Intervention { .answer(.json(json)) }
}

/// A step at which a server can be made to misbehave; connections are numbered from 1.
package enum Step: Sendable {
  /// A connection was accepted; nothing has been read, and TLS has not begun.
  case accepted(connection: Int)
  /// A request was read, possibly an upgrade.
  case request(HTTPRequest, connection: Int)
  /// An upgrade was accepted; nothing has been sent on the WebSocket.
  case opened(target: String, connection: Int)
  case message(JSONValue, connection: Int)
  /// An agent got the prompt of the request that created its session, which is not recorded yet;
  /// `hang` holds the record back.
  case handedOver(sessionID: String)
}
