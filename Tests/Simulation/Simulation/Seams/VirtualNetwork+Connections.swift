// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

// The transport of bytes, and the states of connections.
extension VirtualNetwork {
  /// Starts to connect a socket; the result arrives later, if at all.
  func connect(_ descriptor: Int32, to place: Place) {
    state.withLock { state in
      state.sockets[descriptor]?.phase = .connecting
      state.sockets[descriptor]?.destination = place
    }
    let isDead = state.withLock { $0.deadAddresses.contains(place.address) }
    let faults = faults.withLock { $0 }
    if isDead || happens(faults.losses) { return }
    let isRefused = happens(faults.refusals)
    let there = delay()
    kernel.after(there) { [self] in arrive(descriptor, at: place, isRefused: isRefused, there) }
  }

  private func arrive(
    _ descriptor: Int32,
    at place: Place,
    isRefused: Bool,
    _ back: Duration
  ) {
    let isOpen = state.withLock { state in
      guard !isRefused, state.listeners[place] != nil, let socket = state.sockets[descriptor],
        case .connecting = socket.phase
      else { return false }
      let other = state.add(Endpoint(owner: 0, phase: .open, peer: descriptor))
      state.sockets[descriptor]?.peer = other
      state.listeners[place]?.waiting.append(other)
      return true
    }
    kernel.after(back) { [self] in
      state.withLock { state in
        guard case .connecting? = state.sockets[descriptor]?.phase else { return }
        state.sockets[descriptor]?.phase = isOpen ? .open : .refused(ECONNREFUSED)
      }
    }
  }

  /// Sends bytes; returns the number accepted, or `nil` if there is no room.
  func send(
    _ bytes: UnsafeRawBufferPointer,
    from descriptor: Int32
  ) throws(SendFailure) -> Int? {
    let (socket, room) = state.withLock { state in
      let socket = state.sockets[descriptor]
      return (socket, socket.map { state.room(beyond: $0, self) } ?? 0)
    }
    guard let socket, case .open = socket.phase else { throw .reset }
    guard !socket.isShut else { throw .shut }
    guard room > 0 else { return nil }
    let count = min(bytes.count, room)
    let piece = Array(bytes[..<count])
    state.withLock { $0.sockets[descriptor]?.sent += piece }
    let faults = faults.withLock { $0 }
    if happens(faults.hangs) { silence(descriptor) }
    let isCut = happens(faults.cuts)
    let arriving = isCut ? Array(piece[..<number(below: piece.count + 1)]) : piece
    for part in parts(of: arriving, splits: faults.splits) { deliver(part, from: descriptor) }
    if isCut { cut(descriptor) }
    if let words = lastWords.withLock({ $0 }), piece.contains(words) { fallSilent() }
    cutAfterWords(in: piece, from: descriptor)
    if socket.peer == nil { kernel.after(delay()) { [self] in reset(descriptor) } }
    return count
  }

  private func cutAfterWords(in piece: [UInt8], from descriptor: Int32) {
    let found = cutWords.withLock { words in
      guard let found = words, piece.contains(found.bytes) else { return nil as Bool? }
      words = nil
      return found.isGap
    }
    guard let isGap = found else { return }
    if isGap { faults.withLock { $0.refusals = 1 } }
    cut(descriptor)
  }

  /// Breaks a connection after a send to a closed peer.
  private func reset(_ descriptor: Int32) {
    state.withLock { state in
      if case .open? = state.sockets[descriptor]?.phase {
        state.sockets[descriptor]?.phase = .broken
      }
    }
  }

  enum SendFailure: Error {
    case reset
    case shut
  }

  private func parts(of bytes: [UInt8], splits: Double) -> [[UInt8]] {
    guard bytes.count > 1, happens(splits) else { return bytes.isEmpty ? [] : [bytes] }
    let place = 1 + number(below: bytes.count - 1)
    return [Array(bytes[..<place]), Array(bytes[place...])]
  }

  func deliver(_ bytes: [UInt8], from descriptor: Int32) {
    onArrival(from: descriptor, size: bytes.count) { $0.received += bytes }
  }

  /// Schedules a change at the peer, after everything sent before.
  private func onArrival(
    from descriptor: Int32,
    size: Int = 0,
    _ body: @escaping @Sendable (inout Endpoint) -> Void
  ) {
    let way = delay()
    let now = kernel.elapsed
    let plan = state.withLock { state -> (peer: Int32, delay: Duration)? in
      guard let socket = state.sockets[descriptor], !socket.isSilent, let peer = socket.peer,
        let other = state.sockets[peer]
      else { return nil }
      let arrival = max(now + way, other.lastArrival)
      state.sockets[peer]?.lastArrival = arrival
      state.sockets[peer]?.inFlight += size
      return (peer, arrival - now)
    }
    guard let plan else { return }
    kernel.after(plan.delay) { [self] in
      state.withLock { state in
        guard var other = state.sockets[plan.peer] else { return }
        other.inFlight -= size
        if case .open = other.phase { body(&other) }
        state.sockets[plan.peer] = other
      }
    }
  }

  /// Drops all further bytes in both directions, without an error.
  func silence(_ descriptor: Int32) {
    state.withLock { state in
      state.sockets[descriptor]?.isSilent = true
      if let peer = state.sockets[descriptor]?.peer { state.sockets[peer]?.isSilent = true }
    }
  }

  /// Breaks the connection at both ends, after the bytes in flight.
  func cut(_ descriptor: Int32) {
    onArrival(from: descriptor) { $0.phase = .broken }
    guard let peer = state.withLock({ $0.sockets[descriptor]?.peer }) else { return }
    onArrival(from: peer) { $0.phase = .broken }
  }

  /// Ends the outgoing stream.
  func shutDown(_ descriptor: Int32) {
    state.withLock { $0.sockets[descriptor]?.isShut = true }
    onArrival(from: descriptor) { $0.hasEnded = true }
  }

  /// Closes a socket; unread bytes reset the connection, as in TCP.
  func close(_ descriptor: Int32) {
    let socket = state.withLock { $0.sockets[descriptor] }
    guard let socket else { return }
    let isAbrupt = !socket.received.isEmpty
    if socket.isShut, !isAbrupt {
    } else if isAbrupt {
      onArrival(from: descriptor) { $0.phase = .broken }
    } else {
      onArrival(from: descriptor) { $0.hasEnded = true }
    }
    if let destination = socket.destination {
      carried.withLock { $0.append((destination.address, socket.sent)) }
    }
    state.withLock { state in
      state.sockets[descriptor] = nil
      if let peer = socket.peer, state.sockets[peer] != nil { state.sockets[peer]?.peer = nil }
    }
  }

  private func fallSilent() {
    self.faults.withLock { $0.losses = 1 }
    for descriptor in state.withLock({ $0.sockets.keys.sorted() }) { silence(descriptor) }
  }

  /// Closes all sockets of a program, as the system does when a process dies.
  func kill(_ owner: Int) {
    let descriptors = state.withLock { state in
      state.sockets.filter { $0.value.owner == owner }.keys.sorted()
    }
    for descriptor in descriptors { close(descriptor) }
  }
}
