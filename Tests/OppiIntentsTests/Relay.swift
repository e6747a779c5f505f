// SPDX-License-Identifier: MIT

import Glibc
import OppiTransport
import Synchronization
import Testing

/// Passes connections on to a server until it is told to cut them.
final class Relay: Sendable {
  private static let longTime = Duration.seconds(600)

  let port: Int
  private let listener: Listener
  private let network: Network
  private let destination: Network.Destination
  private let streams = Mutex<[Int: Cut]>([:])
  private let connections = Mutex(0)

  init(to destination: Network.Destination, on loop: EventLoop) throws {
    listener = try Listener(loop: loop)
    port = listener.port
    network = Network(loop: loop, environment: [:])
    self.destination = destination
  }

  /// Tells both directions of a connection to stop.
  private final class Cut: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) {
      self.continuation = continuation
    }
  }

  /// How many connections have come so far.
  var count: Int { connections.withLock { $0 } }

  /// Cuts all connections of the moment.
  func cut() {
    let all = streams.withLock { streams in
      defer { streams = [:] }
      return streams.values.map(\.continuation)
    }
    for continuation in all { continuation.finish() }
  }

  /// Passes on until the task is cancelled.
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
    guard let near = try? await accepted.open(tls: nil, until: deadline),
      let far = try? await network.open(destination, until: deadline)
    else { return }
    let id = connections.withLock { connections in
      connections += 1
      return connections
    }
    let (cuts, continuation) = AsyncStream.makeStream(of: Void.self)
    streams.withLock { $0[id] = Cut(continuation) }
    let pair = Pair(near: near, far: far)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await pair.pass(up: true, until: deadline) }
      group.addTask { await pair.pass(up: false, until: deadline) }
      group.addTask { for await _ in cuts {} }
      await group.next()
      group.cancelAll()
    }
  }

  /// The two ends of a connection.
  private actor Pair {
    private let near: ByteStream
    private let far: ByteStream

    init(near: sending ByteStream, far: sending ByteStream) {
      self.near = near
      self.far = far
    }

    func pass(up: Bool, until deadline: EventLoop.Instant) async {
      let (from, to) = up ? (near, far) : (far, near)
      while let bytes = try? await from.read(until: deadline), !bytes.isEmpty {
        guard (try? await to.write(bytes, until: deadline)) != nil else { return }
      }
    }
  }
}
