// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// The network of a world: hosts with addresses, and connections between them that carry bytes with
/// latency, in pieces, or not at all.
package final class VirtualNetwork: Sendable {
  struct State {
    var sockets: [Int32: Endpoint] = [:]
    var listeners: [Place: Listening] = [:]
    /// The addresses of each host name.
    var hosts: [String: [String]] = [:]
    /// Addresses that never answer.
    var deadAddresses: Set<String> = []
    var lastDescriptor = firstDescriptor
  }

  /// Descriptors of the system are lower than those of the sockets.
  private static let firstDescriptor: Int32 = 1000

  /// The address and port of a listening socket.
  struct Place: Hashable {
    var address: String
    var port: Int
  }

  struct Listening {
    var descriptor: Int32
    var waiting: [Int32] = []
  }

  /// One end of a connection.
  struct Endpoint {
    enum Phase {
      case fresh
      case connecting
      case refused(Int32)
      case open
      /// The connection was reset.
      case broken
    }

    let owner: Int
    var phase = Phase.fresh
    var peer: Int32?
    var received: [UInt8] = []
    /// The number of bytes in flight to this end.
    var inFlight = 0
    var lastArrival = Duration.zero
    /// The peer has ended its stream.
    var hasEnded = false
    /// This end has ended its stream.
    var isShut = false
    /// Bytes sent from this end do not arrive.
    var isSilent = false
    /// Recorded for the journal and the checks.
    var destination: Place?
    /// All bytes sent, for the checks.
    var sent: [UInt8] = []
  }

  let kernel: VirtualKernel
  let faults: Mutex<Faults>
  let state = Mutex(State())
  /// All connections fall silent after these bytes are sent.
  let lastWords = Mutex<[UInt8]?>(nil)
  /// The connection that carries these bytes is cut after them, and others may be refused from then on.
  let cutWords = Mutex<(bytes: [UInt8], isGap: Bool)?>(nil)
  /// The bytes that each closed connection of a program sent to an address.
  let carried = Mutex<[(address: String, bytes: [UInt8])]>([])

  package init(kernel: VirtualKernel, faults: Faults) {
    self.kernel = kernel
    self.faults = Mutex(faults)
  }

  package func set(_ faults: Faults) {
    self.faults.withLock { $0 = faults }
  }

  /// Silences the network permanently once a text has been sent.
  package func fallSilent(after text: String) {
    lastWords.withLock { $0 = Array(text.utf8) }
  }

  /// Breaks the next connection that carries a text, after the write with the text.
  ///
  /// `isGap`: all connections are refused from then on, until other faults are set.
  package func cut(after text: String, isGap: Bool = false) {
    cutWords.withLock { $0 = (Array(text.utf8), isGap) }
  }

  /// Sets the addresses of a host name; `nil` removes them.
  ///
  /// The dead addresses never answer.
  package func setHost(_ name: String, addresses: [String]?, dead: Set<String> = []) {
    state.withLock { state in
      state.hosts[name] = addresses
      state.deadAddresses.formUnion(dead)
    }
  }

  /// The number of connections that programs have not shut.
  package var openConnections: Int {
    state.withLock { $0.sockets.values.count { $0.destination != nil && !$0.isShut } }
  }

  /// The number of open sockets of an owner.
  package func openSockets(of owner: Int) -> Int {
    state.withLock { state in state.sockets.values.count { $0.owner == owner } }
  }

  /// Whether the descriptor is ready; unknown descriptors always are.
  package func isReady(_ interest: EventLoop.Interest) -> Bool {
    let isReady = state.withLock { state -> Bool? in
      if let listening = state.listeners.values.first(where: {
        $0.descriptor == interest.descriptor
      }) {
        return !listening.waiting.isEmpty
      }
      guard let socket = state.sockets[interest.descriptor] else { return nil }
      return interest.events & Int16(POLLIN) != 0
        ? socket.isReadable : socket.isWritable(roomAtPeer: state.room(beyond: socket, self))
    }
    return isReady ?? Self.isSystemReady(interest)
  }

  /// Waits in real time for a descriptor of the system, such as a file or the end of a thread's work:
  /// neither takes virtual time.
  private static func isSystemReady(_ interest: EventLoop.Interest) -> Bool {
    guard interest.descriptor <= firstDescriptor else { return true }
    var descriptor = pollfd(fd: interest.descriptor, events: interest.events, revents: 0)
    _ = poll(&descriptor, 1, 60_000)
    return true
  }

  // MARK: Randomness

  func happens(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return Double(kernel.randomBits() >> 11) / Double(1 << 53) < probability
  }

  /// A random delay between 5 % and 100 % of the latency.
  func delay() -> Duration {
    let latency = faults.withLock(\.latency)
    let part = Double(kernel.randomBits() >> 11) / Double(1 << 53)
    return latency * (0.05 + 0.95 * part)
  }

  func number(below limit: Int) -> Int { Int(kernel.randomBits() % UInt64(max(1, limit))) }
}

extension VirtualNetwork.State {
  mutating func add(_ endpoint: VirtualNetwork.Endpoint) -> Int32 {
    lastDescriptor += 1
    sockets[lastDescriptor] = endpoint
    return lastDescriptor
  }

  /// The number of bytes that the peer has room for.
  func room(beyond socket: VirtualNetwork.Endpoint, _ network: VirtualNetwork) -> Int {
    guard let peer = socket.peer.flatMap({ sockets[$0] }) else { return .max }
    return network.faults.withLock(\.window) - peer.received.count - peer.inFlight
  }
}

extension VirtualNetwork.Endpoint {
  var isReadable: Bool {
    switch phase {
    case .fresh, .connecting: false
    case .refused, .broken: true
    case .open: !received.isEmpty || hasEnded
    }
  }

  func isWritable(roomAtPeer room: Int) -> Bool {
    switch phase {
    case .fresh, .connecting: false
    case .refused, .broken: true
    case .open: room > 0
    }
  }
}
