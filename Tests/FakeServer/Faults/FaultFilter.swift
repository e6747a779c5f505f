// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiHost
import OppiText
import OppiTransport
import Synchronization
import WebSocketCodec

/// Makes a server misbehave as its interceptor says, and writes its journal.
final class FaultFilter: Sendable {
  private struct State {
    /// The place of the current request in the journal.
    var entry: Int?
    var pieceSize: Int?
    var frameSize: Int?
    /// Whether messages are only recorded.
    var isDeaf = false
  }

  private let configuration: FakeServer.Configuration
  private let recorder: Recorder
  private let loop: EventLoop
  private let states = Mutex<[Int: State]>([:])
  private let isOff = Atomic(false)

  init(_ configuration: FakeServer.Configuration, _ recorder: Recorder, on loop: EventLoop) {
    self.configuration = configuration
    self.recorder = recorder
    self.loop = loop
  }

  /// What the host asks for.
  var filter: ConnectionFilter {
    var filter = ConnectionFilter()
    filter.open = open
    filter.answer = answer
    filter.responds = responds
    filter.opened = { [self] socket in
      let step = Step.opened(target: socket.request.target, connection: socket.id)
      return await perform(intervention(at: step), on: socket)
    }
    filter.received = received
    filter.handle = { [self] message, socket in
      guard states.withLock({ $0[socket.id]?.isDeaf }) != true else { return nil }
      let step = message.map { Step.message($0, connection: socket.id) }
      return await perform(step.map(intervention) ?? .proceed, on: socket)
    }
    filter.pieces = pieces
    filter.frameSize = { [self] id in states.withLock { $0[id]?.frameSize } }
    filter.ended = { [self] id in
      recorder.record { $0.endedConnections += 1 }
      states.withLock { $0[id] = nil }
    }
    return filter
  }

  private func intervention(at step: Step) -> Intervention {
    configuration.interceptor?(step) ?? .proceed
  }

  private func change(_ connection: Int, _ change: (inout State) -> Void) {
    states.withLock { change(&$0[connection, default: State()]) }
  }

  /// Prevents all further output on any connection; may be called on any thread.
  func disableOutput() { isOff.store(true, ordering: .sequentiallyConsistent) }

  private func pieces(of bytes: [UInt8], on connection: Int) -> [[UInt8]]? {
    guard !isOff.load(ordering: .sequentiallyConsistent) else { return nil }
    guard let size = states.withLock({ $0[connection]?.pieceSize }) else { return [bytes] }
    return stride(from: 0, to: bytes.count, by: size).map { start in
      Array(bytes[start..<min(start + size, bytes.count)])
    }
  }

  /// Performs the interventions that are the same at every step; returns what remains to do.
  private func perform(
    _ intervention: Intervention,
    on connection: Int,
    send: ([UInt8]) async throws(TransportError) -> Void
  ) async throws(TransportError) -> Intervention {
    switch intervention {
    case .send(let bytes, let continuation):
      try await send(bytes)
      return continuation
    case .proceedAfter(let pause):
      try? await loop.sleep(for: pause)
      return .proceed
    case .proceedInPieces(let size):
      change(connection) { $0.pieceSize = size }
      return .proceed
    case .proceedFragmented(let size):
      change(connection) { $0.frameSize = size }
      return .proceed
    default: return intervention
    }
  }
}

// MARK: - HTTP

extension FaultFilter {
  private func open(_ connection: Connection) async throws(TransportError) -> Wire? {
    recorder.record { $0.connections += 1 }
    let intervention = intervention(at: .accepted(connection: connection.id))
    let wire = try await connection.open(tls: intervention.leavesTLS)
    let rest = try await perform(intervention, on: connection.id) {
      bytes throws(TransportError) in
      try await wire.write(bytes)
    }
    switch rest {
    case .proceed: return wire
    case .hang:
      await wire.discardInput()
      return nil
    default: return nil
    }
  }

  private func answer(
    _ request: HTTPRequest,
    on connection: Connection,
    over wire: Wire
  ) async throws(TransportError) -> Connection.Next {
    let entry = recorder.record(request, connection: connection.id)
    change(connection.id) { $0.entry = entry }
    let intervention = intervention(at: .request(request, connection: connection.id))
    let rest = try await perform(intervention, on: connection.id) {
      bytes throws(TransportError) in
      try await wire.write(bytes)
    }
    switch rest {
    case .answer(let response):
      recorder.answered(entry, status: response.status)
      try await wire.write(response.bytes())
      return .request
    case .performThenDrop:
      _ = await connection.response(to: request)
      return .end
    case .hang: return .hang
    case .flood(let bytes):
      for number in 0... { try await wire.write(bytes(number)) }
      return .end
    case .ignore: return .request
    case .drop, .close, .reply: return .end
    case .proceed, .proceedAfter, .proceedInPieces, .proceedFragmented, .send:
      return try await connection.answer(request, over: wire)
    }
  }

  private func responds(with status: Int, on connection: Int) {
    guard let entry = states.withLock({ $0[connection]?.entry }) else { return }
    recorder.answered(entry, status: status)
  }
}

extension Intervention {
  fileprivate var leavesTLS: Bool {
    switch self {
    case .proceed, .proceedInPieces, .proceedFragmented: true
    default: false
    }
  }
}

// MARK: - WebSockets

extension FaultFilter {
  private func received(_ event: WebSocketConnection.Event, on connection: Int) {
    switch event {
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      let json = (try? JSONValue(parsing: bytes)) ?? .null
      let message = Journal.Message(connection: connection, text: text, json: json)
      recorder.record { $0.messages.append(message) }
    case .pong: recorder.record { $0.pongs += 1 }
    case .closed(let code, _): recorder.record { $0.closeCodes.append(code?.rawValue ?? 1005) }
    case .binary, .ping: break
    }
  }

  private func perform(
    _ intervention: Intervention,
    on socket: HostSocket
  ) async -> ConnectionFilter.Sequel {
    let sender = socket.sender
    let rest = try? await perform(intervention, on: socket.id) { bytes throws(TransportError) in
      sender.send(bytes: bytes)
    }
    switch rest ?? intervention {
    case .proceed, .proceedAfter, .proceedInPieces, .proceedFragmented, .send: return {}
    case .flood(let bytes):
      sender.flood(bytes)
      return {}
    case .performThenDrop:
      sender.mute()
      return { sender.cut() }
    case .ignore: return nil
    case .reply(let messages):
      for message in messages { sender.send(message) }
      return nil
    case .hang: sender.mute()
    case .drop, .answer: sender.cut()
    case .close(let code, let reason): sender.close(code, reason: reason)
    }
    change(socket.id) { $0.isDeaf = true }
    return nil
  }
}

extension Sender {
  /// Closes the connection after the queued messages are written.
  fileprivate func cut() {
    mute()
    enqueue { _ in false }
  }

  /// Sends bytes for ever, between the messages.
  fileprivate func flood(_ bytes: @escaping @Sendable (Int) -> [UInt8], from number: Int = 0) {
    enqueue { [self] wire in
      if (try? await wire.write(bytes(number))) != nil { flood(bytes, from: number + 1) }
      return true
    }
  }
}
