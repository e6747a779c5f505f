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
    /// The addresses of each host's name.
    var hosts: [String: [String]] = [:]
    /// Addresses at which nobody ever is.
    var deadAddresses: Set<String> = []
    var lastDescriptor: Int32 = 1000
  }

  /// Where a socket listens.
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
    /// What is on its way to this end.
    var inFlight = 0
    var lastArrival = Duration.zero
    /// Nothing more comes.
    var hasEnded = false
    /// Nothing more may be sent.
    var isShut = false
    /// Nothing that is sent arrives any more.
    var isSilent = false
    /// Where it leads, for the journal and the checks.
    var destination: Place?
    /// All that was sent, for the checks.
    var sent: [UInt8] = []
  }

  let kernel: VirtualKernel
  let faults: Mutex<Faults>
  let state = Mutex(State())
  /// After these bytes have left, nothing arrives on any connection any more.
  let lastWords = Mutex<[UInt8]?>(nil)
  /// The bytes that each connection of a program carried to a place.
  let carried = Mutex<[(address: String, bytes: [UInt8])]>([])

  package init(kernel: VirtualKernel, faults: Faults) {
    self.kernel = kernel
    self.faults = Mutex(faults)
  }

  /// Changes what is to be feared from now on.
  package func set(_ faults: Faults) {
    self.faults.withLock { $0 = faults }
  }

  /// Lets the network fall silent for ever, without a word, as soon as a text has been sent.
  package func fallSilent(after text: String) {
    lastWords.withLock { $0 = Array(text.utf8) }
  }

  /// Gives a host's name its addresses, none of them known where `nil`; at the dead ones nobody ever
  /// answers.
  package func setHost(_ name: String, addresses: [String]?, dead: Set<String> = []) {
    state.withLock { state in
      state.hosts[name] = addresses
      state.deadAddresses.formUnion(dead)
    }
  }

  /// How many sockets an owner has open.
  package func openSockets(of owner: Int) -> Int {
    state.withLock { state in state.sockets.values.count { $0.owner == owner } }
  }

  /// Whether what is waited for has come.
  package func isReady(_ interest: EventLoop.Interest) -> Bool {
    state.withLock { state in
      if let listening = state.listeners.values.first(where: {
        $0.descriptor == interest.descriptor
      }) {
        return !listening.waiting.isEmpty
      }
      guard let socket = state.sockets[interest.descriptor] else { return true }
      return interest.events & Int16(POLLIN) != 0
        ? socket.isReadable : socket.isWritable(roomAtPeer: state.room(beyond: socket, self))
    }
  }

  // MARK: Chance

  func happens(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return Double(kernel.randomBits() >> 11) / Double(1 << 53) < probability
  }

  /// A way's time, between a twentieth of the latency and all of it.
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

  /// How many bytes the other end has room for.
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
