// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Synchronization
import WebSocketCodec

/// A stream of a session's messages, in any dialect.
struct IntentWebSocket: Sendable {
  private(set) var kind: Dialect.Stream
  /// The session of a session's own stream.
  private var sessionID: String?
  /// The first message, if it was read to find out the kind.
  private var first: FirstMessage?
  private let client: WebSocketStream
  private let loop: EventLoop
  let serverName: String

  /// Opens the stream of all sessions.
  static func openMultiplexed(_ calls: ServerCalls) async throws(OppiError) -> IntentWebSocket {
    try await open(calls, target: "/stream", kind: .multiplexed)
  }

  /// Opens a session's own stream, which starts its agent.
  ///
  /// If `kind` is `nil`, the first message shows it: servers send one at once.
  static func openPerSession(
    _ calls: ServerCalls,
    workspaceID: String,
    sessionID: String,
    kind: Dialect.Stream?
  ) async throws(OppiError) -> IntentWebSocket {
    let target = "/workspaces/\(workspaceID)/sessions/\(sessionID)/stream"
    var socket = try await open(calls, target: target, kind: kind ?? .session)
    socket.sessionID = sessionID
    guard kind == nil else { return socket }
    let (message, _) = try await socket.receive(until: calls.deadline)
    socket.kind = message.kind == .streamConnected ? .session : .perSession
    socket.first = FirstMessage(message)
    return socket
  }

  /// A message that is returned once.
  private final class FirstMessage: Sendable {
    private let message: Mutex<ServerMessage?>

    init(_ message: ServerMessage) { self.message = Mutex(message) }

    func take() -> ServerMessage? {
      message.withLock { message in
        defer { message = nil }
        return message
      }
    }
  }

  /// Opens the stream of the events of all sessions, which starts no agent.
  static func openAppEvents(_ calls: ServerCalls) async throws(OppiError) -> IntentWebSocket {
    try await open(calls, target: "/app/events/stream", kind: .session)
  }

  private static func open(
    _ calls: ServerCalls,
    target: String,
    kind: Dialect.Stream
  ) async throws(OppiError) -> IntentWebSocket {
    let api = calls.api
    let client = try await api.authorized(over: calls.line) {
      headers async throws(OppiError) -> WebSocketStream in
      do throws(TransportError) {
        return try await WebSocketStream.connect(
          network: api.network,
          to: api.destination,
          target: target,
          headers: headers,
          until: calls.deadline
        )
      } catch .upgradeRefused(.status(let status)) {
        throw .refused(status: status, message: nil, server: api.serverName)
      } catch {
        throw .transport(error, server: api.serverName)
      }
    }
    return IntentWebSocket(kind: kind, client: client, loop: api.loop, serverName: api.serverName)
  }

  typealias Request = PromptDelivery.Request

  func newID() -> String { loop.newID() }

  /// Sends messages to a session in one write.
  func send(
    _ requests: [Request],
    to sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    let target = kind.subscribes ? sessionID : nil
    do {
      try await client.send(
        requests.map { $0.message.json(sessionID: target, requestID: $0.id).text() },
        until: deadline
      )
    } catch {
      throw .transport(error, server: serverName)
    }
  }

  /// Returns the next message of a known kind, and its size in bytes; throws if it is not a protocol
  /// message.
  ///
  /// Messages of other kinds end here, so that no flow keeps them.
  func receive(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (message: ServerMessage, size: Int) {
    if let first = first?.take() { return (first, 0) }
    while true {
      let next: (message: ServerMessage, size: Int) = try await receive(until: deadline) { bytes in
        ServerMessage(bytes: bytes).map { ($0, bytes.count) }
      }
      guard case .unknown = next.message.kind else { return next }
      // A flood must not delay the deadline.
      guard loop.now < deadline else { throw .noAnswer(server: serverName) }
      await loop.yieldIfDue()
    }
  }

  /// Returns the next message; throws if `read` cannot read it.
  func receive<Message: Sendable>(
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable ([UInt8]) -> Message?
  ) async throws(OppiError) -> Message {
    do {
      switch try await client.receive(until: deadline) {
      case .closed(let code, let reason): throw ending(code, reason: reason)
      case .message(let bytes):
        // The deadline does not apply here: it must not discard a received message.
        let message = try await loop.offload(ifLong: bytes.isLongToRead) { read(bytes) }
        guard let message else {
          throw OppiError.malformedAnswer(server: serverName, what: "message")
        }
        return message
      }
    } catch let error as OppiError {
      throw error
    } catch TransportError.timedOut {
      throw .noAnswer(server: serverName)
    } catch let error as TransportError {
      throw .transport(error, server: serverName)
    } catch {
      throw .hungUp(server: serverName)
    }
  }

  /// Why the server closed the stream.
  private func ending(_ code: CloseCode?, reason: String) -> OppiError {
    guard kind.explainsClosing, let code else { return .hungUp(server: serverName) }
    let isNextAdmitted = code == .internalError && reason.hasSuffix("retry required")
    switch code {
    case .authorizationExpired: return .streamExpired(server: serverName)
    case .internalError where isNextAdmitted: return .streamExpired(server: serverName)
    case .policyViolation where reason.hasPrefix("Session not found"):
      return .unknownSession(name: sessionID ?? "")
    case .policyViolation where reason == "Device revoked":
      return .accessRefused(.revoked, server: serverName)
    case .policyViolation:
      return .refused(status: 401, message: reason.safeLine(limit: 200), server: serverName)
    case .protocolError, .unsupportedData, .invalidPayload, .messageTooBig:
      return .malformedAnswer(server: serverName, what: "stream closed with \(code.rawValue)")
    default: return .hungUp(server: serverName)
    }
  }

  /// Whether nothing, pings included, has arrived for the given time.
  func isSilent(for limit: Duration) async -> Bool {
    await client.silence >= limit
  }

  /// Closes with code 1000.
  func close() async {
    await client.close()
  }
}

extension CloseCode {
  fileprivate static let policyViolation = CloseCode(rawValue: 1008)
  fileprivate static let internalError = CloseCode(rawValue: 1011)
  /// The access token of the stream's upgrade is no longer valid.
  fileprivate static let authorizationExpired = CloseCode(rawValue: 4001)
}

extension ServerCalls {
  /// Opens a session's stream in the dialect that its server speaks: the one that the server is known
  /// to have, or else the one that it turns out to have.
  func openStream(of session: ServerSession) async throws(OppiError) -> IntentWebSocket {
    if session.server.dialect?.stream.needsWorkspace != true {
      do {
        return try await IntentWebSocket.openMultiplexed(self)
      } catch  where error.isNotFound && session.workspaceID != nil {
        // A server whose sessions have their own streams, whose path needs the workspace.
      }
    }
    do {
      return try await openOwnStream(of: session)
    } catch  where error.isNotFound {
      // Older servers answer 404 for unknown sessions.
      throw .unknownSession(name: session.id)
    }
  }

  /// Opens the session's own stream, or `/stream` if the server was upgraded from the older
  /// dialect.
  func openOwnStream(of session: ServerSession) async throws(OppiError) -> IntentWebSocket {
    guard let workspaceID = session.workspaceID else {
      throw .unknownSession(name: session.id)
    }
    let known = session.server.dialect?.stream
    do {
      return try await IntentWebSocket.openPerSession(
        self,
        workspaceID: workspaceID,
        sessionID: session.id,
        kind: known?.needsWorkspace == true ? known : nil
      )
    } catch  where error.isNotFound && known?.needsWorkspace == true {
      return try await IntentWebSocket.openMultiplexed(self)
    }
  }
}
