// SPDX-License-Identifier: MIT

package import HTTPCodec
package import OppiModel

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
