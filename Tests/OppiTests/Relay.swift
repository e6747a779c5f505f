// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiTransport
import Synchronization
import TestSupport
import Testing

@testable import Oppi

/// Forwards connections to a server, and can cut them.
final class Relay: Sendable {
  private static let longTime = Duration.seconds(600)

  let port: Int
  private let listener: Listener
  private let network: Network
  private let destination: Network.Destination
  private let streams = Mutex<[Int: Cut]>([:])
  private let connections = Mutex(0)
  /// The text after which a connection is cut, and whether new connections are held then.
  private let lastWord = Mutex<(text: String, isHolding: Bool)?>(nil)
  /// Holds new connections until it finishes; `nil` if connections pass.
  private let barrier = Mutex<Barrier?>(nil)

  init(to destination: Network.Destination, on loop: EventLoop) throws {
    listener = try Listener(loop: loop)
    port = listener.port
    network = Network(loop: loop, environment: [:])
    self.destination = destination
  }

  /// Stops both directions of a connection.
  private final class Cut: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) {
      self.continuation = continuation
    }
  }

  /// The number of connections so far.
  var count: Int { connections.withLock { $0 } }

  /// Cuts all open connections.
  func cut() {
    let all = streams.withLock { streams in
      defer { streams = [:] }
      return streams.values.map(\.continuation)
    }
    for continuation in all { continuation.finish() }
  }

  /// Cuts a connection right after the next server message that contains the text.
  ///
  /// If `isHolding`, new connections wait for ``release()``.
  func cut(after text: String, isHolding: Bool = true) {
    lastWord.withLock { $0 = (text, isHolding) }
  }

  /// Lets held connections pass.
  func release() {
    barrier.withLock { barrier in
      barrier?.continuation.finish()
      barrier = nil
    }
  }

  private struct Barrier {
    let stream: AsyncStream<Void>
    let continuation: AsyncStream<Void>.Continuation
  }

  /// The part of the server's bytes to forward, and whether the connection ends after it.
  private func last(of bytes: [UInt8]) -> (bytes: [UInt8], isLast: Bool) {
    lastWord.withLock { word in
      guard let (text, isHolding) = word, let range = bytes.firstRange(of: Array(text.utf8)) else {
        return (bytes, false)
      }
      word = nil
      if isHolding {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        barrier.withLock { $0 = Barrier(stream: stream, continuation: continuation) }
      }
      // 0x81, the first byte of an unfragmented text frame, does not occur in these texts.
      let end = bytes[range.upperBound...].firstIndex(of: 0x81) ?? bytes.endIndex
      return (Array(bytes[..<end]), true)
    }
  }

  /// Accepts and forwards connections until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      while let accepted = try? await listener.accept() {
        group.addTask { await self.serve(accepted) }
      }
      group.cancelAll()
    }
  }

  private func serve(_ accepted: AcceptedConnection) async {
    let deadline = EventLoop.Instant.now + Self.longTime
    if let barrier = barrier.withLock(\.self) { for await _ in barrier.stream {} }
    guard let near = try? await accepted.open(tls: nil, until: deadline),
      let far = try? await network.open(destination, until: deadline)
    else { return }
    let id = connections.withLock { connections in
      connections += 1
      return connections
    }
    let (cuts, continuation) = AsyncStream.makeStream(of: Void.self)
    streams.withLock { $0[id] = Cut(continuation) }
    let pair = Pair(near: near, far: far, filter: last)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await pair.pass(up: true, until: deadline) }
      group.addTask { await pair.pass(up: false, until: deadline) }
      group.addTask { for await _ in cuts {} }
      await group.next()
      group.cancelAll()
    }
  }

  private actor Pair {
    private let near: ByteStream
    private let far: ByteStream
    private let filter: @Sendable ([UInt8]) -> ([UInt8], Bool)

    init(
      near: sending ByteStream,
      far: sending ByteStream,
      filter: @escaping @Sendable ([UInt8]) -> ([UInt8], Bool)
    ) {
      self.near = near
      self.far = far
      self.filter = filter
    }

    func pass(up: Bool, until deadline: EventLoop.Instant) async {
      let (from, to) = up ? (near, far) : (far, near)
      while let bytes = try? await from.read(until: deadline), !bytes.isEmpty {
        let (passed, isLast) = up ? (bytes, false) : filter(bytes)
        guard (try? await to.write(passed, until: deadline)) != nil, !isLast else { return }
      }
    }
  }
}
