// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiTransport
import Synchronization

/// The sockets of one program in a virtual network, or of one server at its address.
package struct VirtualSockets: SocketSystem {
  private let network: VirtualNetwork
  /// The owner of the sockets, to find sockets that a program leaves open.
  private let owner: Int
  private let life: Life
  /// The address at which a server listens.
  private let address: String

  package init(
    network: VirtualNetwork,
    owner: Int,
    life: Life = Life(),
    address: String = "10.0.0.1"
  ) {
    self.network = network
    self.owner = owner
    self.life = life
    self.address = address
  }

  package func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress] {
    let isLate = network.happens(network.faults.withLock(\.lookups))
    let answer = loop.now + (isLate ? .seconds(60) : network.delay())
    do {
      _ = try await loop.wait(for: [], until: min(answer, deadline))
    } catch .timedOut {
    } catch {
      throw .cancelled
    }
    guard answer <= deadline else { throw .timedOut(.lookup) }
    guard let found = network.state.withLock({ $0.hosts[host] }) else {
      throw .lookupFailed(reason: "name or service not known")
    }
    return found.map { SocketAddress(virtual: $0, port: port) }
  }

  package func makeSocket(family: Int32) throws(SystemError) -> any Socket {
    guard life.mayGoOn() else { throw SystemError("socket", code: EMFILE) }
    let descriptor = network.state.withLock { [owner] in $0.add(.init(owner: owner)) }
    return VirtualSocket(descriptor, network: network, life: life)
  }

  package func connectionLimit() -> Int { .max }

  package func listen(port: Int) throws(SystemError) -> any ListeningSocket {
    try VirtualListeningSocket(address: address, port: port, network: network)
  }
}

private final class VirtualSocket: Socket {
  let descriptor: Int32
  private let network: VirtualNetwork
  private let life: Life

  init(_ descriptor: Int32, network: VirtualNetwork, life: Life = Life()) {
    self.descriptor = descriptor
    self.network = network
    self.life = life
  }

  deinit {
    network.close(descriptor)
  }

  func connect(to address: SocketAddress) throws(SystemError) -> Bool {
    network.connect(descriptor, to: address.place)
    return false
  }

  func finishConnect() throws(SystemError) {
    let phase = network.state.withLock { $0.sockets[descriptor]?.phase }
    switch phase {
    case .open?: return
    case .refused(let code)?: throw SystemError("connect", code: code)
    default: throw SystemError("connect", code: ECONNRESET)
    }
  }

  func disableDelay() {}

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    guard life.mayGoOn() else { return .failed(SystemError("recv", code: EBADF)) }
    return network.state.withLock { state in
      guard var socket = state.sockets[descriptor] else {
        return .failed(SystemError("recv", code: EBADF))
      }
      if !socket.received.isEmpty {
        let count = min(buffer.count, socket.received.count)
        buffer.copyBytes(from: socket.received[..<count])
        socket.received.removeFirst(count)
        state.sockets[descriptor] = socket
        return .bytes(count)
      }
      switch socket.phase {
      case .broken: return .failed(SystemError("recv", code: ECONNRESET))
      case .open: return socket.hasEnded ? .endOfStream : .wouldBlock(reading: true)
      default: return .failed(SystemError("recv", code: ENOTCONN))
      }
    }
  }

  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    guard life.mayGoOn() else { return .failed(SystemError("send", code: EBADF)) }
    do {
      let count = try network.send(buffer, from: descriptor)
      return count.map(Transfer.bytes) ?? .wouldBlock(reading: false)
    } catch {
      let code = error == .shut ? EPIPE : ECONNRESET
      return .failed(SystemError("send", code: code))
    }
  }

  func shutDown() {
    network.shutDown(descriptor)
  }
}

/// A listening socket at a virtual address.
private final class VirtualListeningSocket: ListeningSocket {
  let descriptor: Int32
  let port: Int
  private let place: VirtualNetwork.Place
  private let network: VirtualNetwork

  init(address: String, port: Int, network: VirtualNetwork) throws(SystemError) {
    self.port = port == 0 ? 20_000 + network.number(below: 10_000) : port
    self.network = network
    let place = VirtualNetwork.Place(address: address, port: self.port)
    self.place = place
    let descriptor: Int32? = network.state.withLock { state in
      guard state.listeners[place] == nil else { return nil }
      state.lastDescriptor += 1
      state.listeners[place] = .init(descriptor: state.lastDescriptor)
      return state.lastDescriptor
    }
    guard let descriptor else { throw SystemError("bind", code: EADDRINUSE) }
    self.descriptor = descriptor
  }

  deinit {
    let waiting = network.state.withLock { state in
      state.listeners.removeValue(forKey: place)?.waiting ?? []
    }
    for descriptor in waiting { network.close(descriptor) }
  }

  func accept() throws(SystemError) -> (any Socket)? {
    let descriptor: Int32? = network.state.withLock { state in
      guard state.listeners[place]?.waiting.isEmpty == false else { return nil }
      return state.listeners[place]?.waiting.removeFirst()
    }
    return descriptor.map { VirtualSocket($0, network: network) }
  }
}

extension SocketAddress {
  /// Creates an address of a family, a port and the text of a virtual host's address.
  fileprivate init(virtual address: String, port: Int) {
    let family = UInt16(AF_INET)
    let number = UInt16(clamping: port)
    self.init(
      bytes: [
        UInt8(family & 0xFF), UInt8(family >> 8), UInt8(number >> 8), UInt8(number & 0xFF),
      ] + Array(address.utf8) + [UInt8](repeating: 0, count: max(0, 16 - address.utf8.count))
    )
  }

  fileprivate var place: VirtualNetwork.Place {
    VirtualNetwork.Place(
      address: String(decoding: bytes[4...].prefix { $0 != 0 }, as: UTF8.self),
      port: Int(bytes[2]) << 8 | Int(bytes[3])
    )
  }
}
