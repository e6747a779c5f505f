// SPDX-License-Identifier: MIT

import EventLoop
package import HTTPCodec
package import OppiText
import OppiTransport
import Synchronization
package import WebSocketCodec

/// An open WebSocket of a client.
package struct HostSocket: Sendable {
  /// The request of the upgrade.
  package let request: HTTPRequest
  let connection: Connection
  let wire: Wire
  package let sender: Sender

  package var id: Int { connection.id }

  /// Serves until the peer leaves, its access ends, the connection must be closed, or the task is
  /// cancelled.
  func serve(_ service: SocketService, received: [UInt8]) async {
    let lease = connection.host.parts.access.lease(for: request)
    let isCut = await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await !sender.write(to: wire) }
      group.addTask {
        // Errors have already been reported to the peer where required.
        var reader = SocketReader(of: self, service, received: received)
        try? await reader.run()
        sender.finish()
        return nil
      }
      if let lease {
        group.addTask {
          try? await connection.loop.sleep(until: lease.deadline)
          if !Task.isCancelled { lease.end.keep(.expired) }
          return nil
        }
        group.addTask {
          if let end = await lease.end.value() { sender.close(end.code, reason: end.reason) }
          return nil
        }
      }
      // The writer ends after the reader, or when it cuts the connection.
      for await case let isCut? in group {
        group.cancelAll()
        return isCut
      }
      return false
    }
    await service.close(self)
    lease?.release()
    guard !isCut || Task.isCancelled else { return }
    if Task.isCancelled {
      guard service.announcesShutdown else { return }
      try? await wire.write(Sender.close(.goingAway, reason: "Server shutting down"))
    }
    await wire.shutDown()
  }
}

// MARK: - Reading

private struct SocketReader {
  private static let pingLimit = 2

  private let socket: HostSocket
  private let service: SocketService
  private var connection: WebSocketConnection
  private var random: RandomSource
  private var unansweredPings = 0

  init(of socket: HostSocket, _ service: SocketService, received: [UInt8]) {
    self.socket = socket
    self.service = service
    random = socket.connection.loop.random
    connection = WebSocketConnection(role: .server)
    connection.receive(received)
  }

  private var filter: ConnectionFilter { socket.connection.filter }

  /// Reads until the peer closes the connection or violates the protocol.
  mutating func run() async throws {
    if let sequel = await filter.opened(socket) {
      await service.open(socket)
      sequel()
    }
    while true {
      let event: WebSocketConnection.Event?
      do {
        event = try connection.next(using: &random)
      } catch {
        flush()
        throw error
      }
      flush()
      guard let event else {
        try await readMore()
        continue
      }
      filter.received?(event, socket.id)
      switch event {
      case .text(let bytes): await receive(bytes)
      case .pong: unansweredPings = 0
      case .binary, .ping: break
      case .closed: return
      }
    }
  }

  private func receive(_ bytes: [UInt8]) async {
    let json = try? JSONValue(parsing: bytes)
    if let sequel = await filter.handle(json, socket) {
      await service.handle(socket, json)
      sequel()
    }
  }

  /// Sends the automatic replies of the WebSocket.
  private mutating func flush() {
    socket.sender.send(bytes: connection.takeOutbound())
  }

  private mutating func readMore() async throws {
    do {
      let interval = socket.connection.host.configuration.limits.pingInterval
      let bytes = try await socket.wire.read(for: interval)
      if bytes.isEmpty { throw TransportError.closed(.answer) }
      connection.receive(bytes)
    } catch TransportError.timedOut {
      guard unansweredPings < Self.pingLimit else { throw TransportError.timedOut(.answer) }
      unansweredPings += 1
      connection.ping(using: &random)
      flush()
    }
  }
}

// MARK: - Writing

/// The output queue of a WebSocket; any task may add to it, and one task writes it.
package final class Sender: Sendable {
  /// Writes something; returns false to close the connection without a close frame.
  package typealias Job = @Sendable (Wire) async -> Bool

  private let connection: Int
  private let filter: ConnectionFilter
  private let isMuted = Atomic(false)
  private let isFinished = Atomic(false)
  private let jobs: AsyncStream<Job>
  private let queue: AsyncStream<Job>.Continuation

  init(of connection: Int, filter: ConnectionFilter) {
    self.connection = connection
    self.filter = filter
    (jobs, queue) = AsyncStream.makeStream()
  }

  package func send(_ message: JSONValue) {
    send(bytes: Self.frames(of: message.bytes(), size: filter.frameSize(connection)))
  }

  /// Sends complete frames.
  package func send(bytes: [UInt8]) {
    guard !bytes.isEmpty, !isMuted.load(ordering: .relaxed) else { return }
    enqueue { wire in
      // The reader finds the end of the connection.
      try? await wire.write(bytes)
      return true
    }
  }

  /// Sends a close frame, and nothing after it.
  package func close(_ code: CloseCode?, reason: String = "") {
    send(bytes: Self.close(code, reason: reason))
    mute()
  }

  /// Discards everything from now on, except for jobs.
  package func mute() { isMuted.store(true, ordering: .relaxed) }

  package func enqueue(_ job: @escaping Job) { queue.yield(job) }

  /// Whether the connection has ended.
  var hasEnded: Bool { isFinished.load(ordering: .relaxed) }

  /// Ends writing after the queued jobs are done.
  func finish() {
    isFinished.store(true, ordering: .relaxed)
    queue.finish()
  }

  /// Writes until the end, or until a job closes the connection; returns false then.
  func write(to wire: Wire) async -> Bool {
    for await job in jobs where await !job(wire) { return false }
    return true
  }

  private struct NoRandomness: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
  }

  /// A close frame; those of a server are not masked and do not use the generator.
  fileprivate static func close(_ code: CloseCode?, reason: String) -> [UInt8] {
    var connection = WebSocketConnection(role: .server)
    var random = NoRandomness()
    connection.close(code, reason: reason, using: &random)
    return connection.takeOutbound()
  }

  private static func frames(of payload: [UInt8], size: Int?) -> [UInt8] {
    var random = NoRandomness()
    var output: [UInt8] = []
    let size = max(size ?? payload.count, 1)
    for start in stride(from: 0, to: max(payload.count, 1), by: size) {
      let end = min(start + size, payload.count)
      let frame = Frame(
        isFinal: end == payload.count,
        opcode: start == 0 ? .text : .continuation,
        payload: Array(payload[start..<end])
      )
      frame.encode(from: .server, into: &output, using: &random)
    }
    return output
  }
}

extension CloseCode {
  /// The token of the connection has expired.
  static let authorizationExpired = CloseCode(rawValue: 4001)
}
