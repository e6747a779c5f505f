// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import WebSocketCodec

struct StreamReader {
  private static let pingLimit = 2

  private let handler: StreamHandler
  private var socket: WebSocketConnection
  private var random: RandomSource
  private var unansweredPings = 0
  /// Whether messages are only recorded.
  private var isDeaf = false

  init(handler: StreamHandler, received: [UInt8]) {
    self.handler = handler
    random = handler.connection.loop.random
    let limit = handler.connection.configuration.dialect.messageLimit
    socket = WebSocketConnection(
      role: .server,
      limits: WebSocketLimits(maxFrame: limit, maxMessage: limit)
    )
    socket.receive(received)
  }

  private var id: Int { handler.connection.id }
  private var recorder: Recorder { handler.connection.recorder }
  private var sessions: Sessions { handler.connection.sessions }

  /// Reads until the peer closes the connection or violates the protocol.
  mutating func run() async throws {
    await open()
    while true {
      let event: WebSocketConnection.Event?
      do {
        event = try socket.next(using: &random)
      } catch {
        flush()
        throw error
      }
      flush()
      switch event {
      case .text(let bytes): await receive(bytes)
      case .binary(let bytes): await receive(binary: bytes)
      case .pong:
        unansweredPings = 0
        recorder.record(.pong(connection: id))
      case .ping: break
      case .closed(let code, _):
        recorder.record(.closed(connection: id, code: code?.rawValue))
        return
      case nil: try await readMore()
      }
    }
  }

  private mutating func open() async {
    let step = Step.opened(target: handler.target, connection: id)
    switch await perform(handler.connection.intervention(at: step)) {
    case .proceed:
      await greet()
    case .performThenDrop:
      handler.sender.mute()
      await greet()
      handler.sender.cut()
    default: break
    }
  }

  private mutating func greet() async {
    await sessions.open(stream: id, kind: handler.kind, sender: handler.sender)
    switch handler.kind {
    case .session(let sessionID):
      // Connecting starts the agent; if that fails, the close frame has no code.
      if await !sessions.startForStream(id, sessionID: sessionID) { close(nil) }
    case .socket(let sessionID):
      // Meanwhile messages are read, and lost.
      let (sessions, id, sender) = (sessions, id, handler.sender)
      sessions.background.start { await sessions.setUp(id, sessionID: sessionID, sender) }
    case .missingSession:
      close(.policyViolation, reason: "Session not found")
    case .multiplexed, .appEvents, .command: break
    }
  }

  private mutating func receive(binary bytes: [UInt8]) async {
    switch handler.kind {
    case .session: await receive(bytes)
    case .socket:
      let text = "Binary messages are not supported on session stream"
      await sessions.sendError(text, toStream: id)
    case .appEvents: break
    case .multiplexed, .missingSession, .command:
      close(.unsupportedData, reason: "Binary frames not supported")
    }
  }

  private mutating func receive(_ bytes: [UInt8]) async {
    let text = String(decoding: bytes, as: UTF8.self)
    let json = try? JSONValue(parsing: bytes)
    recorder.record(.message(.init(connection: id, text: text, json: json ?? .null)))
    guard !isDeaf else { return }
    if handler.kind.isSocket, await !sessions.isListening(stream: id) { return }
    let step = json.map { Step.message($0, connection: id) }
    let intervention = step.map(handler.connection.intervention) ?? .proceed
    switch await perform(intervention) {
    case .proceed:
      await sessions.handle(text, json, from: id)
    case .performThenDrop:
      handler.sender.mute()
      await sessions.handle(text, json, from: id)
      handler.sender.cut()
    default: break
    }
  }

  /// Performs an intervention; returns what remains to do.
  private mutating func perform(_ intervention: Intervention) async -> Intervention {
    switch intervention {
    case .send(let bytes, _):
      handler.sender.send(bytes: bytes)
      return await perform(intervention.continued)
    case .proceedAfter(let pause):
      try? await sessions.loop.sleep(for: pause)
      return .proceed
    case .proceedInPieces(let size):
      await handler.wire.split(into: size)
      return .proceed
    case .proceedFragmented(let size):
      handler.sender.fragment(into: size)
      return .proceed
    case .flood(let bytes):
      handler.sender.flood(bytes)
      return .proceed
    case .reply(let messages):
      for message in messages { handler.sender.send(message) }
    case .hang:
      handler.sender.mute()
      isDeaf = true
    case .drop, .answer:
      handler.sender.cut()
      isDeaf = true
    case .close(let code, let reason):
      close(code, reason: reason)
    case .proceed, .performThenDrop, .ignore: break
    }
    return intervention
  }

  private mutating func close(_ code: CloseCode?, reason: String = "") {
    socket.close(code, reason: reason, using: &random)
    flush()
    handler.sender.mute()
    isDeaf = true
  }

  /// Sends the automatic replies of the WebSocket.
  private mutating func flush() {
    handler.sender.send(bytes: socket.takeOutbound())
  }

  private mutating func readMore() async throws {
    do {
      let interval = handler.connection.configuration.limits.pingInterval
      let bytes = try await handler.wire.read(for: interval)
      if bytes.isEmpty { throw TransportError.closed(.answer) }
      socket.receive(bytes)
    } catch TransportError.timedOut {
      guard unansweredPings < Self.pingLimit else { throw TransportError.timedOut(.answer) }
      unansweredPings += 1
      socket.ping(using: &random)
      flush()
    }
  }
}
