// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

package struct SystemSockets: SocketSystem {
  package init() {}

  package func makeSocket(family: Int32) throws(SystemError) -> any Socket {
    try SystemSocket(family: family)
  }

  /// Descriptors reserved for files, pipes and libraries.
  private static let reserve = 32

  /// Raises the process's limit of open files to its maximum.
  package func connectionLimit() -> Int {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(files, &limit) == 0 else { return .max }
    if limit.rlim_cur < limit.rlim_max {
      let raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
      if withUnsafePointer(to: raised, { setrlimit(files, $0) }) == 0 { limit = raised }
    }
    return max(1, Int(clamping: limit.rlim_cur) - Self.reserve)
  }

  package func listen(port: Int) throws(SystemError) -> any ListeningSocket {
    try SystemListeningSocket(port: port)
  }

  /// Resolves a host with a deadline, which the blocking system call lacks.
  ///
  /// An address literal needs no thread. A name is resolved on a separate thread, which is
  /// abandoned when the deadline passes or the task is cancelled.
  package func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress] {
    if case .success(let literal) = Self.lookUp(host, port: port, flags: AI_NUMERICHOST) {
      return literal
    }
    let result: Result<[SocketAddress], TransportError>
    do {
      result = try await loop.offload(until: deadline) {
        Self.lookUp(host, port: port, flags: AI_ADDRCONFIG)
      }
    } catch {
      throw error.transportError(during: .lookup)
    }
    return try result.get()
  }

  static func lookUp(
    _ host: String,
    port: Int,
    flags: Int32
  ) -> Result<[SocketAddress], TransportError> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else {
      let reason = String(cString: gai_strerror(status)).lowercased()
      return .failure(.lookupFailed(reason: reason))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
      guard let info = entry?.pointee, let address = info.ai_addr else { continue }
      let raw = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
      addresses.append(SocketAddress(bytes: Array(raw)))
    }
    return .success(addresses)
  }
}

final class SystemSocket: Socket {
  let descriptor: Int32

  /// A write to a closed connection returns an error instead of raising SIGPIPE.
  private static let noSignal = Int32(MSG_NOSIGNAL)

  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    FileDescriptor.prepare(descriptor)
  }

  init(family: Int32) throws(SystemError) {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
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
