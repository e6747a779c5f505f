// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// A listening socket of the operating system, on 127.0.0.1.
final class SystemListeningSocket: ListeningSocket {
  private let socket: SystemSocket
  let port: Int

  init(port: Int) throws(SystemError) {
    socket = try SystemSocket(family: AF_INET)
    // Allows binding to a port whose last connections have just been closed.
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
        bind(descriptor, address, size) == 0 && Glibc.listen(descriptor, 512) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard status else { throw SystemError("bind") }
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  var descriptor: Int32 { socket.descriptor }

  func accept() throws(SystemError) -> (any Socket)? {
    let descriptor = Glibc.accept(descriptor, nil, nil)
    if descriptor >= 0 { return SystemSocket(adopting: descriptor) }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw SystemError("accept")
  }
}
