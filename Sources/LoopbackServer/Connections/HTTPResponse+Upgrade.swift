// SPDX-License-Identifier: MIT

package import HTTPCodec
import WebSocketCodec

extension HTTPResponse {
  /// The answer that opens a WebSocket, for an interceptor to spoil.
  package static func upgrade(for request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: 101,
      reason: reason(for: 101),
      headers: [
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Accept": ClientHandshake.accept(
          forKey: request.headers["Sec-WebSocket-Key"] ?? ""
        ),
      ]
    )
  }
}
