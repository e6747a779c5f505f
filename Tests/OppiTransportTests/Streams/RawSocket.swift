// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import OppiTransport

/// A bound loopback socket that refuses connections or does not respond.
final class RawSocket {
  let address: SocketAddress
  private let socket: SystemSocket
  private var fillers: [SystemSocket] = []

  /// Binds a socket that does not listen, so its port refuses connections.
  init() throws {
    socket = try SystemSocket(family: AF_INET)
    let any = try SystemSockets.lookUp("127.0.0.1", port: 0, flags: AI_NUMERICHOST).get()[0]
    let descriptor = socket.descriptor
    try #require(any.withSockaddr { bind(descriptor, $0, $1) } == 0)
    var bound = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size)
      }
    }
    try #require(status == 0)
    address = SocketAddress(bytes: withUnsafeBytes(of: bound) { Array($0) })
  }

  var port: Int { Int(address.bytes[2]) << 8 | Int(address.bytes[3]) }

  /// Listens with a full backlog, so that further connections get no response.
  func becomeSilent() throws {
    try #require(listen(socket.descriptor, 0) == 0)
    for _ in 0..<2 {
      let filler = try SystemSocket(family: AF_INET)
      _ = try filler.connect(to: address)
      fillers.append(filler)
    }
  }
}

extension Socket {
  /// Makes the next close reset the connection.
  func resetsOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}

/// A stream that several tasks share, like that of a WebSocket.
actor SharedStream {
  private let stream: ByteStream

  init(_ stream: sending ByteStream) { self.stream = stream }

  func read(atMost limit: Int = ByteStream.chunkSize) async throws -> [UInt8] {
    try await stream.read(until: .farOff, atMost: limit)
  }

  func read(count: Int) async throws -> [UInt8] { try await stream.read(count: count) }

  func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

  func shutDown() { stream.shutDown() }

  /// Forwards all bytes to another stream until the end, and records them.
  func forward(to other: SharedStream, recording copy: Received) async {
    while let bytes = try? await read(), !bytes.isEmpty {
      copy.add(bytes)
      guard (try? await other.write(bytes)) != nil else { break }
    }
    await other.shutDown()
  }
}
