// SPDX-License-Identifier: MIT

package import EventLoop

/// Where sockets come from: the operating system's, or those of a world made for a test.
package protocol SocketSystem: Sendable {
  /// Returns the addresses of a host in the order of preference (RFC 6724), by the deadline.
  func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress]

  /// Makes a stream socket for addresses of a family.
  func makeSocket(family: Int32) throws(SystemError) -> any Socket

  /// How many sockets may be open at the same time.
  func connectionLimit() -> Int

  /// Takes connections on the loopback interface, at a free port where 0 is asked for.
  func listen(port: Int) throws(SystemError) -> any ListeningSocket
}

/// An open socket none of whose calls waits; it is closed with its last reference.
package protocol Socket: AnyObject, Sendable {
  /// What the loop waits for.
  var descriptor: Int32 { get }

  /// Starts to connect; true where the connection stood at once.
  func connect(to address: SocketAddress) throws(SystemError) -> Bool

  /// Tells the outcome of a connect that was waited for.
  func finishConnect() throws(SystemError)

  /// Sends small writes at once: a prompt is one write and nothing follows that it could wait for.
  func disableDelay()

  /// Reads what has come, up to the buffer's size.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer

  /// Writes as much as there is room for.
  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer

  /// Tells the peer that nothing more will come.
  func shutDown()
}

/// A socket that takes connections.
package protocol ListeningSocket: AnyObject, Sendable {
  /// What the loop waits for.
  var descriptor: Int32 { get }
  /// The port at which it listens.
  var port: Int { get }

  /// Takes the next connection; `nil` where none waits.
  func accept() throws(SystemError) -> (any Socket)?
}

/// What one attempt at input or output came to.
package enum Transfer: Sendable {
  case bytes(Int)
  case endOfStream
  /// The descriptor has to become readable, or else writable, first.
  case wouldBlock(reading: Bool)
  case failed(SystemError)
}
