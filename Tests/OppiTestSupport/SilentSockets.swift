// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiTransport
import TestSupport

/// A kernel without events: each wait advances the clock to its deadline at once.
final class LeapingKernel: Kernel {
  private let inner = ManualKernel()

  var now: EventLoop.Instant { inner.now }
  var timeOfDay: Duration { inner.timeOfDay }

  func randomBits() -> UInt64 { inner.randomBits() }

  func wait(for interests: [EventLoop.Interest], until deadline: EventLoop.Instant?) -> [Int] {
    if let deadline, now < deadline { inner.advance(by: now.duration(to: deadline)) }
    return []
  }

  func wake() {}
}

/// A network whose servers accept every connection and every byte, and never respond.
struct SilentSockets: SocketSystem {
  func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) -> [SocketAddress] {
    [SocketAddress(bytes: withUnsafeBytes(of: sockaddr_in()) { Array($0) })]
  }

  func makeSocket(family: Int32) -> any Socket { SilentSocket() }

  func connectionLimit() -> Int { .max }

  func listen(port: Int) throws(SystemError) -> any ListeningSocket {
    throw SystemError("listen", code: EACCES)
  }

  private final class SilentSocket: Socket {
    let descriptor: Int32 = -1

    func connect(to address: SocketAddress) -> Bool { true }
    func finishConnect() {}
    func disableDelay() {}
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
      .wouldBlock(reading: true)
    }
    func send(_ buffer: UnsafeRawBufferPointer) -> Transfer { .bytes(buffer.count) }
    func shutDown() {}
  }
}
