// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// A connected stream of bytes: a socket, with TLS on it where the endpoint asks for it.
///
/// Every call has a deadline; a cancelled task's call throws, and the socket is closed with the
/// last reference to the stream.
package final class ByteStream {
  /// The most bytes that one ``read(until:)`` returns.
  package static let chunkSize = 65_536

  private let loop: EventLoop
  private let socket: any Socket
  /// The stream's place among those that may be open.
  private let permit: Admission.Permit?
  private var tls: TLSSession?
  /// Whether a read has met the end of the stream.
  private(set) var hasEnded = false

  init(loop: EventLoop, socket: any Socket, permit: Admission.Permit? = nil) {
    self.loop = loop
    self.socket = socket
    self.permit = permit
  }

  /// Returns the next bytes, none at the end of the stream.
  package func read(
    until deadline: EventLoop.Instant,
    atMost limit: Int = chunkSize
  ) async throws(TransportError) -> [UInt8] {
    while true {
      // A peer that always has another byte would otherwise never meet either of them.
      if Task.isCancelled { throw .cancelled }
      if loop.now >= deadline { throw .timedOut(.answer) }
      let (transfer, bytes) = try receive(atMost: min(limit, Self.chunkSize))
      switch transfer {
      case .bytes:
        await Task.yield()
        return bytes
      case .endOfStream:
        hasEnded = true
        return []
      case .failed(let error): throw Self.failure(error, during: .answer)
      case .wouldBlock(let reading): try await wait(reading, until: deadline, during: .answer)
      }
    }
  }

  /// Writes all the bytes.
  package func write(
    _ bytes: [UInt8],
    until deadline: EventLoop.Instant
  ) async throws(TransportError) {
    var written = 0
    while written < bytes.count {
      if loop.now >= deadline { throw .timedOut(.request) }
      let transfer = try send(bytes, from: written)
      switch transfer {
      case .bytes(let count): written += count
      case .endOfStream: throw .closed(.request)
      case .failed(let error): throw Self.failure(error, during: .request)
      case .wouldBlock(let reading): try await wait(reading, until: deadline, during: .request)
      }
    }
  }

  /// Lays TLS over the socket and completes its handshake.
  func startTLS(
    _ session: TLSSession,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) {
    session.attach(to: socket)
    while true {
      if loop.now >= deadline { throw .timedOut(.tls) }
      switch try session.handshake() {
      case .bytes:
        tls = session
        return
      case .endOfStream: throw .closed(.tls)
      case .failed(let error): throw Self.failure(error, during: .tls)
      case .wouldBlock(let reading): try await wait(reading, until: deadline, during: .tls)
      }
    }
  }

  /// What is thrown away at the end, in portions.
  private static let leftoverLimit = 16

  /// Tells the peer that nothing more will come, as far as that goes without waiting.
  package func shutDown() {
    tls?.shutDown()
    socket.shutDown()
  }

  /// Throws away what has come and nobody will read: closing with something unread would reset the
  /// connection, and take the last words with it.
  func discardReceived() {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
      for _ in 0..<Self.leftoverLimit {
        guard case .bytes = socket.receive(into: buffer) else { return }
      }
    }
  }

  /// Reads into memory that is the stack's, so that a stream that waits costs none.
  private func receive(atMost limit: Int) throws(TransportError) -> (Transfer, [UInt8]) {
    let (result, bytes) = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
      let result = Result { () throws(TransportError) in
        try tls?.read(into: buffer) ?? socket.receive(into: buffer)
      }
      guard case .success(.bytes(let count)) = result else { return (result, [UInt8]()) }
      return (result, Array(buffer[..<count]))
    }
    return (try result.get(), bytes)
  }

  private func send(_ bytes: [UInt8], from start: Int) throws(TransportError) -> Transfer {
    if let tls { return try tls.write(bytes, from: start) }
    return bytes.withUnsafeBytes { raw in
      socket.send(UnsafeRawBufferPointer(rebasing: raw[start...]))
    }
  }

  /// A connection that the peer cut is not a failure of this system's input or output.
  private static func failure(
    _ error: SystemError,
    during step: TransportError.Step
  ) -> TransportError {
    error.code == ECONNRESET || error.code == EPIPE ? .closed(step) : .ioFailed(error)
  }

  private func wait(
    _ reading: Bool,
    until deadline: EventLoop.Instant,
    during step: TransportError.Step
  ) async throws(TransportError) {
    let descriptor = socket.descriptor
    do {
      _ = try await loop.wait(
        for: [reading ? .readable(descriptor) : .writable(descriptor)],
        until: deadline
      )
    } catch {
      throw error.transportError(during: step)
    }
  }
}
