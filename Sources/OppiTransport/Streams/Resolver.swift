// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// An address that a socket can connect to.
struct SocketAddress: Sendable, Equatable {
  /// The bytes of a `sockaddr` of any family.
  let bytes: [UInt8]

  var family: Int32 {
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

/// Host names to addresses, with a deadline that the system's blocking look-up does not have.
struct Resolver {
  let loop: EventLoop

  /// Returns the addresses of a host in the system's order (RFC 6724).
  ///
  /// A literal address costs no thread. A name is looked up on a thread of its own, which is left
  /// behind when the deadline passes or the task is cancelled.
  func addresses(
    of host: String,
    port: Int,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress] {
    if case .success(let literal) = Self.lookUp(host, port: port, flags: AI_NUMERICHOST) {
      return literal
    }
    let lookup: Lookup
    do {
      lookup = try Lookup(host: host, port: port)
      try lookup.start()
      _ = try await loop.wait(for: [.readable(lookup.signal.readEnd)], until: deadline)
    } catch let error as EventLoop.WaitError {
      throw error.transportError(during: .lookup)
    } catch {
      throw .lookupFailed(reason: "\(error)")
    }
    switch lookup.result.withLock({ $0 }) {
    case .success(let addresses)?: return addresses
    case .failure(let error)?: throw .lookupFailed(reason: error.reason)
    case nil: throw .lookupFailed(reason: "no answer")
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

/// One look-up on a thread of its own; the thread keeps it alive until the system has answered.
private final class Lookup: Sendable {
  let host: String
  let port: Int
  let signal: Pipe
  let result = Mutex<Result<[SocketAddress], Resolver.LookupError>?>(nil)

  init(host: String, port: Int) throws(SystemError) {
    self.host = host
    self.port = port
    signal = try Pipe()
  }

  func start() throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(&thread, nil, Self.body, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError("pthread_create", code: status)
    }
    pthread_detach(thread)
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    let lookup = Unmanaged<Lookup>.fromOpaque(context).takeRetainedValue()
    let result = Resolver.lookUp(lookup.host, port: lookup.port, flags: AI_ADDRCONFIG)
    lookup.result.withLock { $0 = result }
    lookup.signal.writeByte()
    return nil
  }
}

extension EventLoop.WaitError {
  /// The error of a transport step whose wait ended so.
  func transportError(during step: TransportError.Step) -> TransportError {
    switch self {
    case .timedOut: .timedOut(step)
    case .cancelled: .cancelled
    }
  }
}
