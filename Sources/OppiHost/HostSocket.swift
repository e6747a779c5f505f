// SPDX-License-Identifier: MIT

import EventLoop
package import HTTPCodec
package import OppiModel
import OppiTransport
import Synchronization
package import WebSocketCodec

/// What a WebSocket serves; its messages are handled in order.
package protocol SocketService: Sendable {
  /// Greets the client.
  func open(_ socket: HostSocket) async
  /// Whether messages are handled; otherwise they are lost.
  func listens(to socket: HostSocket) async -> Bool
  /// Handles a message of the client; `json` is `nil` for text that is not JSON.
  func handle(_ text: String, _ json: JSONValue?, of socket: HostSocket) async
  /// Handles a binary message; true to handle it as text.
  func handle(binary bytes: [UInt8], of socket: HostSocket) async -> Bool
  func close(_ socket: HostSocket) async
  /// The maximum size of a message, in bytes.
  var messageLimit: Int { get }
  /// Whether the stream is closed with a code when the server stops.
  var announcesShutdown: Bool { get }
}

extension SocketService {
  package func listens(to socket: HostSocket) async -> Bool { true }
  package func handle(_ text: String, _ json: JSONValue?, of socket: HostSocket) async {}
  package func handle(binary bytes: [UInt8], of socket: HostSocket) async -> Bool { false }
  package func close(_ socket: HostSocket) async {}
  package var messageLimit: Int { 16 << 20 }
  package var announcesShutdown: Bool { true }
}

/// An open WebSocket of a client.
package struct HostSocket: Sendable {
  /// The request of the upgrade.
  package let request: HTTPRequest
  package let connection: Connection
  package let wire: Wire
  package let sender: Sender

  package var id: Int { connection.id }
  private var loop: EventLoop { connection.loop }

  /// Serves the socket, which is closed when its access ends.
  func serve(_ service: any SocketService, received: [UInt8]) async {
    let access = connection.router.access
    guard let lease = access.lease(for: request) else {
      return await run(service, received: received)
    }
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await run(service, received: received)
        return true
      }
      group.addTask {
        try? await loop.sleep(until: lease.deadline)
        if !Task.isCancelled { lease.end.keep(.expired) }
        return false
      }
      group.addTask {
        if let end = await lease.end.value() { sender.close(end.code, reason: end.reason) }
        return false
      }
      for await isOver in group where isOver { group.cancelAll() }
    }
    access.release(lease)
  }

  /// Serves until the peer leaves, the connection must be closed, or the task is cancelled.
  private func run(_ service: any SocketService, received: [UInt8]) async {
    let isCut = await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await sender.write(to: wire) }
      group.addTask {
        // Errors have already been reported to the peer where required.
        var reader = SocketReader(of: self, service, received: received)
        try? await reader.run()
        sender.finish()
        return nil
      }
      var isCut = false
      for await isWhole in group where isWhole == false {
        isCut = true
        group.cancelAll()
      }
      return isCut
    }
    await service.close(self)
    if Task.isCancelled {
      if service.announcesShutdown { await sayGoodbye() }
    } else if !isCut {
      await wire.shutDown()
    }
  }

  /// Announces the shutdown of the server.
  private func sayGoodbye() async {
    var farewell = WebSocketConnection(role: .server)
    var random = loop.random
    farewell.close(.goingAway, reason: "Server shutting down", using: &random)
    try? await wire.write(farewell.takeOutbound())
    await wire.shutDown()
  }
}

// MARK: - Reading

private struct SocketReader {
  private static let pingLimit = 2

  private let socket: HostSocket
  private let service: any SocketService
  private var connection: WebSocketConnection
  private var random: RandomSource
  private var unansweredPings = 0

  init(of socket: HostSocket, _ service: any SocketService, received: [UInt8]) {
    self.socket = socket
    self.service = service
    random = socket.connection.loop.random
    let limit = service.messageLimit
    connection = WebSocketConnection(
      role: .server,
      limits: WebSocketLimits(maxFrame: limit, maxMessage: limit)
    )
    connection.receive(received)
  }

  private var filter: any ConnectionFilter { socket.connection.filter }

  /// Reads until the peer closes the connection or violates the protocol.
  mutating func run() async throws {
    let (socket, service) = (socket, service)
    await filter.open(socket) { await service.open(socket) }
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
      filter.received(event, on: socket.id)
      switch event {
      case .text(let bytes): await receive(bytes)
      case .binary(let bytes):
        if await service.handle(binary: bytes, of: socket) {
          filter.received(.text(bytes), on: socket.id)
          await receive(bytes)
        }
      case .pong: unansweredPings = 0
      case .ping: break
      case .closed: return
      }
    }
  }

  private func receive(_ bytes: [UInt8]) async {
    let text = String(decoding: bytes, as: UTF8.self)
    let json = try? JSONValue(parsing: bytes)
    guard await service.listens(to: socket) else { return }
    await filter.handle(json, on: socket) { await service.handle(text, json, of: socket) }
  }

  /// Sends the automatic replies of the WebSocket.
  private mutating func flush() {
    socket.sender.send(bytes: connection.takeOutbound())
  }

  private mutating func readMore() async throws {
    do {
      let interval = socket.connection.configuration.limits.pingInterval
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
package final class Sender: Outlet {
  /// Writes something; returns false to close the connection without a close frame.
  package typealias Job = @Sendable (Wire) async -> Bool

  private let connection: Int
  private let filter: any ConnectionFilter
  private let isMuted = Atomic(false)
  private let isFinished = Atomic(false)
  private let jobs: AsyncStream<Job>
  private let queue: AsyncStream<Job>.Continuation

  init(of connection: Int, filter: any ConnectionFilter) {
    self.connection = connection
    self.filter = filter
    (jobs, queue) = AsyncStream.makeStream()
  }

  package func send(_ message: JSONValue, about sessionID: String? = nil) {
    let payload = message.bytes()
    send(bytes: Self.frames(of: payload, size: filter.frameSize(on: connection)))
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
    var connection = WebSocketConnection(role: .server)
    var random = NoRandomness()
    connection.close(code, reason: reason, using: &random)
    send(bytes: connection.takeOutbound())
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

  private static func frames(of payload: [UInt8], size: Int?) -> [UInt8] {
    let encoder = FrameEncoder(role: .server)
    // A server's frames are not masked and do not use the generator.
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
      encoder.encode(frame, into: &output, using: &random)
    }
    return output
  }
}

extension CloseCode {
  /// The peer violated a policy of the server, 1008.
  package static let policyViolation = CloseCode(rawValue: 1008)
  /// The server failed, 1011.
  static let internalError = CloseCode(rawValue: 1011)
  /// The token of the connection has expired.
  static let authorizationExpired = CloseCode(rawValue: 4001)
}
