// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
import WebSocketCodec

extension WebSocketStream {
  /// Opens a WebSocket on a server.
  ///
  /// `target` is the path and query of the upgrade request; `headers` has further headers, such as
  /// the bearer token.
  ///
  /// - Throws: `.upgradeRefused(.status(…))` if the server sends an ordinary response.
  package static func connect(
    network: Network,
    to destination: Network.Destination,
    target: String,
    headers: HTTPHeaders,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> WebSocketStream {
    var random = network.loop.random
    let key = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let handshake = ClientHandshake(keyBytes: key)
    var request = HTTPRequest(method: "GET", target: target, headers: headers)
    for header in handshake.headers {
      request.headers.append(name: header.name, value: header.value)
    }
    let bytes = try HTTPConnection.encode(request, for: destination)
    let stream = try await network.open(destination, until: deadline)
    try await stream.write(bytes, until: deadline)
    var parser = HTTPResponseParser.forHead
    let response = try await stream.readResponse(with: &parser, until: deadline).response
    do {
      try handshake.validate(status: response.status, headers: response.headers.fields)
    } catch {
      throw .upgradeRefused(error)
    }
    return WebSocketStream(
      over: stream,
      as: .client,
      received: parser.leftover,
      hiding: network.secrets,
      on: network.loop
    )
  }
}
