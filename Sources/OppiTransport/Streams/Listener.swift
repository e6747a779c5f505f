// SPDX-License-Identifier: MIT

package import EventLoop

/// Accepts connections on the loopback interface.
package final class Listener: Sendable {
  private let loop: EventLoop
  private let socket: any ListeningSocket
  /// The port; the system chooses it if none was requested.
  package let port: Int

  /// Listens on `127.0.0.1`, by default on a free port.
  package init(
    loop: EventLoop,
    sockets: any SocketSystem = SystemSockets(),
    port: Int = 0
  ) throws(SystemError) {
    self.loop = loop
    socket = try sockets.listen(port: port)
    self.port = socket.port
  }

  package func accept() async throws(TransportError) -> AcceptedConnection {
    while true {
      var pause: Duration?
      do {
        if let accepted = try socket.accept() {
          accepted.disableDelay()
          return AcceptedConnection(loop: loop, socket: accepted)
        }
      } catch {
        // Without free descriptors, the socket stays readable but accepts nothing.
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

/// An accepted connection on which nothing has been sent.
package struct AcceptedConnection: Sendable {
  let loop: EventLoop
  let socket: any Socket

  /// Creates the stream of the connection, with server-side TLS if there is a context.
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
