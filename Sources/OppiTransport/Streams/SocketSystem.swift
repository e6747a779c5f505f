// SPDX-License-Identifier: MIT

package import EventLoop

/// The source of sockets: the operating system or a simulation.
package protocol SocketSystem: Sendable {
  /// Returns the addresses of a host in order of preference (RFC 6724).
  func addresses(
    of host: String,
    port: Int,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> [SocketAddress]

  func makeSocket(family: Int32) throws(SystemError) -> any Socket

  func connectionLimit() -> Int

  /// Listens on the loopback interface; port 0 chooses a free port.
  func listen(port: Int) throws(SystemError) -> any ListeningSocket
}

/// A nonblocking socket, closed with its last reference.
package protocol Socket: AnyObject, Sendable {
  /// The descriptor that the loop waits for.
  var descriptor: Int32 { get }

  /// Starts to connect; returns true if the connection is established immediately.
  func connect(to address: SocketAddress) throws(SystemError) -> Bool

  /// Returns the outcome of a connect once the socket is writable.
  func finishConnect() throws(SystemError)

  /// Disables Nagle's algorithm: a prompt is a single write, and delaying it gains nothing.
  func disableDelay()

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer

  /// Writes as many bytes as fit.
  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer

  /// Sends the end of the stream.
  func shutDown()
}

package protocol ListeningSocket: AnyObject, Sendable {
  /// The descriptor that the loop waits for.
  var descriptor: Int32 { get }
  var port: Int { get }

  /// Accepts the next connection; `nil` if none is pending.
  func accept() throws(SystemError) -> (any Socket)?
}

package enum Transfer: Sendable {
  case bytes(Int)
  case endOfStream
  /// The descriptor must first become readable, or else writable.
  case wouldBlock(reading: Bool)
  case failed(SystemError)
}
