// SPDX-License-Identifier: MIT

package import EventLoop

/// Takes connections on the loopback interface.
package final class Listener: Sendable {
  private let loop: EventLoop
  private let socket: any ListeningSocket
  /// The port, which the system gave where none was asked for.
  package let port: Int

  /// Listens on `127.0.0.1`, by default at a free port.
  package init(
    loop: EventLoop,
    sockets: any SocketSystem = SystemSockets(),
    port: Int = 0
  ) throws(SystemError) {
    self.loop = loop
    socket = try sockets.listen(port: port)
    self.port = socket.port
  }

  /// Waits for the next connection.
  package func accept() async throws(TransportError) -> AcceptedConnection {
    while true {
      var pause: Duration?
      do {
        if let accepted = try socket.accept() {
          accepted.disableDelay()
          return AcceptedConnection(loop: loop, socket: accepted)
        }
      } catch {
        // Without room for one more descriptor the socket stays readable and accepts nothing.
        pause = .milliseconds(10)
      }
      do {
        _ = try await loop.wait(
          for: pause == nil ? [.readable(socket.descriptor)] : [],
          until: pause.map { loop.now + $0 }
        )
      } catch .timedOut {
        continue
      } catch {
        throw error.transportError(during: .connect)
      }
    }
  }
}

/// A connection that was taken but not spoken to yet.
package struct AcceptedConnection: Sendable {
  let loop: EventLoop
  let socket: any Socket

  /// Makes the stream of the connection, with the server's end of TLS on it where there is one.
  package func open(
    tls context: TLSContext?,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> ByteStream {
    let stream = ByteStream(loop: loop, socket: socket)
    if let context {
      try await stream.startTLS(TLSSession(context: context, side: .server), until: deadline)
    }
    return stream
  }
}
