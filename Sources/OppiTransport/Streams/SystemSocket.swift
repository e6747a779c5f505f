// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

final class SystemSocket: Socket {
  let descriptor: Int32

  /// A write to a closed connection returns an error instead of raising SIGPIPE.
  private static let noSignal = Int32(MSG_NOSIGNAL)

  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    FileDescriptor.prepare(descriptor)
  }

  convenience init(family: Int32) throws(SystemError) {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    self.init(adopting: descriptor)
  }

  deinit {
    close(descriptor)
  }

  func connect(to address: SocketAddress) throws(SystemError) -> Bool {
    let status = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
    if status == 0 { return true }
    guard errno == EINPROGRESS else { throw SystemError("connect") }
    return false
  }

  func finishConnect() throws(SystemError) {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
      throw SystemError("getsockopt")
    }
    guard code == 0 else { throw SystemError("connect", code: code) }
  }

  func disableDelay() {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .endOfStream }
      if errno == EAGAIN { return .wouldBlock(reading: true) }
      if errno != EINTR { return .failed(SystemError("recv")) }
    }
  }

  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    while true {
      let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, Self.noSignal)
      if count >= 0 { return .bytes(count) }
      if errno == EAGAIN { return .wouldBlock(reading: false) }
      if errno != EINTR { return .failed(SystemError("send")) }
    }
  }

  func shutDown() {
    shutdown(descriptor, Int32(SHUT_WR))
  }
}
