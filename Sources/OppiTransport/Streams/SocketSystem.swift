// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// The source of sockets: the operating system or a simulation.
package protocol SocketSystem: Sendable {
  /// Returns the addresses of a host in order of preference (RFC 6724).
  func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress]

  func makeSocket(family: Int32) throws(SystemError) -> any Socket

  func connectionLimit() -> Int

  /// Listens on the loopback interface; port 0 chooses a free port.
  func listen(port: Int) throws(SystemError) -> any ListeningSocket
}

/// A nonblocking socket, closed with its last reference.
package protocol Socket: AnyObject, Sendable {
  /// The descriptor that the loop waits for.
  var descriptor: Int32 { get }

  /// Starts to connect; returns true if the connection is established immediately.
  func connect(to address: SocketAddress) throws(SystemError) -> Bool

  /// Returns the outcome of a connect once the socket is writable.
  func finishConnect() throws(SystemError)

  /// Disables Nagle's algorithm: a prompt is a single write, and delaying it gains nothing.
  func disableDelay()

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer

  /// Writes as many bytes as fit.
  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer

  /// Sends the end of the stream.
  func shutDown()
}

package protocol ListeningSocket: AnyObject, Sendable {
  /// The descriptor that the loop waits for.
  var descriptor: Int32 { get }
  var port: Int { get }

  /// Accepts the next connection; `nil` if none is pending.
  func accept() throws(SystemError) -> (any Socket)?
}

package enum Transfer: Sendable {
  case bytes(Int)
  case endOfStream
  /// The descriptor must first become readable, or else writable.
  case wouldBlock(reading: Bool)
  case failed(SystemError)
}

package struct SocketAddress: Sendable, Equatable {
  /// The bytes of a `sockaddr` of any family.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var family: Int32 {
    bytes.withUnsafeBytes { Int32($0.loadUnaligned(as: sockaddr.self).sa_family) }
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) { pointer in
        guard let base = pointer.baseAddress else {
          preconditionFailure("a socket address has bytes")
        }
        return body(base, socklen_t(raw.count))
      }
    }
  }
}

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
      do {
        if let accepted = try socket.accept() {
          accepted.disableDelay()
          return AcceptedConnection(loop: loop, socket: accepted)
        }
        _ = try await loop.wait(for: [.readable(socket.descriptor)], until: nil)
      } catch is SystemError {
        // Without free descriptors, the socket stays readable but accepts nothing.
        do { try await loop.sleep(for: .milliseconds(10)) } catch { throw .cancelled }
      } catch {
        throw .cancelled
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
