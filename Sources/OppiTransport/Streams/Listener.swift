// SPDX-License-Identifier: MIT

import Glibc

/// A socket that takes connections on the loopback interface.
package final class Listener: Sendable {
  private let loop: EventLoop
  private let socket: Socket
  /// The port, which the system gave where none was asked for.
  package let port: Int

  /// Listens on `127.0.0.1`, by default at a free port.
  package init(loop: EventLoop, port: Int = 0) throws(SystemError) {
    self.loop = loop
    socket = try Socket(family: AF_INET)
    // Connections that have just ended keep a port from being taken again, unless both agree.
    var isShared: CInt = 1
    setsockopt(
      socket.descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &isShared,
      socklen_t(MemoryLayout<CInt>.size)
    )
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = socket.descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 512) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard status else { throw SystemError("bind") }
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  /// Waits for the next connection.
  package func accept() async throws(TransportError) -> AcceptedConnection {
    while true {
      let descriptor = Glibc.accept(socket.descriptor, nil, nil)
      if descriptor >= 0 {
        let accepted = Socket(adopting: descriptor)
        accepted.disableDelay()
        return AcceptedConnection(loop: loop, socket: accepted)
      }
      let isIdle = errno == EAGAIN
      do {
        // Without room for one more descriptor the socket stays readable and accepts nothing.
        let pause = isIdle ? nil : EventLoop.Instant.now + .milliseconds(10)
        _ = try await loop.wait(
          for: isIdle ? [.readable(socket.descriptor)] : [],
          until: pause
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
  let socket: Socket

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
