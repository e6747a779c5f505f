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
    let result: Result<[SocketAddress], LookupError>
    do {
      result = try await loop.offload(until: deadline) {
        Self.lookUp(host, port: port, flags: AI_ADDRCONFIG)
      }
    } catch {
      throw error.transportError(during: .lookup)
    }
    switch result {
    case .success(let addresses): return addresses
    case .failure(let error): throw .lookupFailed(reason: error.reason)
    }
  }

  struct LookupError: Error {
    let reason: String
  }

  static func lookUp(
    _ host: String,
    port: Int,
    flags: Int32
  ) -> Result<[SocketAddress], LookupError> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else {
      return .failure(LookupError(reason: String(cString: gai_strerror(status)).lowercased()))
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
