// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization

/// Opens TCP connections and tries all addresses of a host (Happy Eyeballs, RFC 8305).
struct Connector {
  /// The delay before the next address is tried in parallel (RFC 8305, section 5).
  static let attemptDelay = Duration.milliseconds(250)

  let loop: EventLoop
  let sockets: any SocketSystem

  /// Returns a socket connected to the first address of the host that responds.
  ///
  /// `meanwhile` runs after the first attempt has started, so that it does not delay the
  /// connection.
  func connect(
    to host: String,
    port: Int,
    until deadline: EventLoop.Instant,
    meanwhile: () -> Void
  ) async throws(TransportError) -> any Socket {
    let addresses = try await sockets.addresses(of: host, port: port, on: loop, until: deadline)
    return try await connect(
      toFirstOf: Self.interleaved(addresses),
      until: deadline,
      meanwhile: meanwhile
    )
  }

  func connect(
    toFirstOf addresses: [SocketAddress],
    until deadline: EventLoop.Instant,
    meanwhile: () -> Void
  ) async throws(TransportError) -> any Socket {
    var race = Race(addresses: addresses, sockets: sockets)
    if let winner = race.startNext() { return winner }
    meanwhile()
    while true {
      guard !race.attempts.isEmpty else { throw race.lastFailure.connectError }
      let step = race.hasMore ? min(deadline, loop.now + Self.attemptDelay) : deadline
      do {
        let index = try await loop.wait(
          for: race.attempts.map { .writable($0.descriptor) },
          until: step
        )
        if let winner = race.finish(index) { return winner }
      } catch .timedOut where step < deadline {
        // The next address is tried in parallel with the pending ones.
      } catch {
        throw error.transportError(during: .connect)
      }
      if let winner = race.startNext() { return winner }
    }
  }

  /// Alternates the address families, starting with the system's preferred one (section 4).
  static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let preferred = addresses.first?.family else { return [] }
    var first = addresses.filter { $0.family == preferred }[...]
    var second = addresses.filter { $0.family != preferred }[...]
    var order: [SocketAddress] = []
    while let address = first.popFirst() ?? second.popFirst() {
      order.append(address)
      if let other = second.popFirst() { order.append(other) }
    }
    return order
  }
}

private struct Race {
  private var waiting: ArraySlice<SocketAddress>
  private let sockets: any SocketSystem
  private(set) var attempts: [any Socket] = []
  private(set) var lastFailure = SystemError("connect", code: EHOSTUNREACH)

  init(addresses: [SocketAddress], sockets: any SocketSystem) {
    self.sockets = sockets
    waiting = addresses[...]
  }

  var hasMore: Bool { !waiting.isEmpty }

  /// Starts the next attempt that does not fail immediately.
  ///
  /// Returns its socket if it is already connected.
  mutating func startNext() -> (any Socket)? {
    while let address = waiting.popFirst() {
      do {
        let socket = try sockets.makeSocket(family: address.family)
        if try socket.connect(to: address) { return socket }
        attempts.append(socket)
        return nil
      } catch {
        lastFailure = error
      }
    }
    return nil
  }

  mutating func finish(_ index: Int) -> (any Socket)? {
    let socket = attempts.remove(at: index)
    do {
      try socket.finishConnect()
      return socket
    } catch {
      lastFailure = error
      return nil
    }
  }
}

extension SystemError {
  /// The error of the last attempt; running out of descriptors is not a refused connection.
  fileprivate var connectError: TransportError {
    code == EMFILE || code == ENFILE ? .ioFailed(self) : .connectFailed(self)
  }
}

/// Admits a limited number at once; further ones wait until another leaves.
final class Admission: Sendable {
  /// Permission for one, released with its last reference.
  final class Permit: Sendable {
    private let admission: Admission

    fileprivate init(_ admission: Admission) {
      self.admission = admission
    }

    deinit {
      admission.leave()
    }
  }

  private struct State {
    var open = 0
    /// `nil` until needed.
    var limit: Int?
    var waiting: [EventLoop.Wakeup] = []
  }

  private let surely: Int
  private let limit: @Sendable () -> Int
  private let state = Mutex(State())

  /// Creates an admission; `limit` is called only when `surely` have been admitted.
  init(surely: Int, limit: @escaping @Sendable () -> Int) {
    (self.surely, self.limit) = (surely, limit)
  }

  func enter(
    on loop: EventLoop,
    until deadline: EventLoop.Instant,
    during step: TransportError.Step
  ) async throws(TransportError) -> Permit {
    while !takePlace() {
      do {
        try await loop.wait(until: deadline) { wakeup in
          state.withLock { $0.waiting.append(wakeup) }
        }
      } catch {
        throw error.transportError(during: step)
      }
    }
    return Permit(self)
  }

  private func takePlace() -> Bool {
    state.withLock { state in
      if state.open >= surely {
        let limit = state.limit ?? limit()
        state.limit = limit
        guard state.open < limit else { return false }
      }
      state.open += 1
      return true
    }
  }

  private func leave() {
    state.withLock { $0.open -= 1 }
    // Wakeups of tasks that no longer wait are skipped.
    while let next = nextInLine(), !next.fire() {}
  }

  private func nextInLine() -> EventLoop.Wakeup? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }
}
