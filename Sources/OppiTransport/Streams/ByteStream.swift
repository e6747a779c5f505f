// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// A connected byte stream: a socket, optionally with TLS.
///
/// Every call has a deadline and throws if its task is cancelled. The socket is closed with the
/// last reference to the stream.
package final class ByteStream {
  /// The maximum number of bytes that one ``read(until:)`` returns.
  package static let chunkSize = 65_536

  let loop: EventLoop
  private let socket: any Socket
  private let permit: Admission.Permit?
  private var tls: TLSSession?
  /// Whether a read has reached the end of the stream.
  private(set) var hasEnded = false
  private var pace = ReadingPace()

  init(loop: EventLoop, socket: any Socket, permit: Admission.Permit? = nil) {
    self.loop = loop
    self.socket = socket
    self.permit = permit
  }

  /// Prepares to read messages for as long as the peer sends them, at a lower share of the time.
  package func becomeUnending() { pace = .ofUnendingStream }

  /// Returns the next bytes; empty at the end of the stream.
  ///
  /// Pauses if the peer sends more than can be handled in its share of the time.
  package func read(
    until deadline: EventLoop.Instant,
    atMost limit: Int = chunkSize
  ) async throws(TransportError) -> [UInt8] {
    let begin = loop.now
    var isBehind = true
    while let next = pace.nextRead, next > loop.now {
      // A pause that ends at the deadline fails below.
      guard deadline > loop.now else { break }
      do {
        try await loop.sleep(until: min(next, deadline))
      } catch {
        throw .cancelled
      }
    }
    while true {
      // A peer that always sends more data would otherwise defer cancellation and deadline.
      if Task.isCancelled { throw .cancelled }
      if loop.now >= deadline { throw .timedOut(.answer) }
      let (transfer, bytes) = try receive(atMost: min(limit, Self.chunkSize))
      switch transfer {
      case .bytes:
        pace.count(isBehind: isBehind, askedAt: begin, at: loop.now)
        await Task.yield()
        return bytes
      case .endOfStream:
        hasEnded = true
        return []
      case .failed(let error): throw Self.failure(error, during: .answer)
      case .wouldBlock(let reading):
        isBehind = false
        try await wait(reading, until: deadline, during: .answer)
      }
    }
  }

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

  /// Adds TLS to the socket and completes the handshake.
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

  /// The maximum number of chunks that are discarded before closing.
  private static let leftoverLimit = 16

  /// Sends the end of the stream, if that is possible without waiting.
  package func shutDown() {
    tls?.shutDown()
    socket.shutDown()
  }

  /// Discards received bytes.
  ///
  /// Closing a socket with unread bytes resets the connection, and the peer may lose the last bytes
  /// sent.
  func discardReceived() {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
      for _ in 0..<Self.leftoverLimit {
        guard case .bytes = socket.receive(into: buffer) else { return }
      }
    }
  }

  /// Reads into stack memory, so that a waiting stream needs no buffer.
  private func receive(atMost limit: Int) throws(TransportError) -> (Transfer, [UInt8]) {
    try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) {
      buffer throws(TransportError) in
      let transfer = try tls?.read(into: buffer) ?? socket.receive(into: buffer)
      guard case .bytes(let count) = transfer else { return (transfer, []) }
      return (transfer, Array(buffer[..<count]))
    }
  }

  private func send(_ bytes: [UInt8], from start: Int) throws(TransportError) -> Transfer {
    if let tls { return try tls.write(bytes, from: start) }
    return bytes.withUnsafeBytes { raw in
      socket.send(UnsafeRawBufferPointer(rebasing: raw[start...]))
    }
  }

  /// A connection closed by the peer is not an I/O failure of this system.
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

/// Limits the share of the time that a peer can keep this program busy, after a burst.
struct WorkPace {
  /// The work that is never paused for.
  static let burst = Duration.seconds(1)

  /// Half of the time for answers, which have an end.
  var share = 0.5
  private var work = Duration.zero
  private(set) var countedAt: EventLoop.Instant?

  mutating func count(_ added: Duration, at now: EventLoop.Instant) {
    let elapsed = countedAt.map { $0.duration(to: now) } ?? .zero
    work = max(.zero, work - elapsed * share) + added
    countedAt = now
  }

  /// When the next work may begin; `nil` if it may begin at once.
  var next: EventLoop.Instant? {
    guard work > Self.burst, let countedAt else { return nil }
    return countedAt + (work - Self.burst) / share
  }
}

/// Limits the share of the processor that a peer can cause with what it sends.
///
/// A peer that sends faster than its bytes can be handled, or in tiny pieces, would use a core for
/// as long as it likes. While reading pauses, the peer is held up by its full socket.
struct ReadingPace {
  /// The least work of a read, however few its bytes.
  private static let leastWork = Duration.microseconds(50)
  /// The most work of a read: what takes longer is a wait for something else.
  private static let mostWork = Duration.milliseconds(250)

  private var pace = WorkPace()

  init() {}

  /// The pace of a stream without an end: what is made of its messages needs time, too.
  static var ofUnendingStream: ReadingPace {
    var pace = ReadingPace()
    pace.pace.share = 0.12
    return pace
  }

  /// Counts a read; `isBehind` if its bytes were there before this program asked for them.
  mutating func count(isBehind: Bool, askedAt: EventLoop.Instant, at now: EventLoop.Instant) {
    let handling = pace.countedAt.map { $0.duration(to: askedAt) } ?? .zero
    let work = isBehind ? min(max(handling, Self.leastWork), Self.mostWork) : Self.leastWork
    pace.count(work, at: now)
  }

  /// When the next read may begin; `nil` if it may begin at once.
  var nextRead: EventLoop.Instant? { pace.next }
}
