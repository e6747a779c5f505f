// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiText
import OppiTransport
package import OppiWire
import Synchronization
import WebSocketCodec

/// A stream of a session's messages, in any dialect.
package struct IntentWebSocket: Sendable {
  /// Longer than two ping intervals of a server, 30 s each: a stream silent for this long is dead.
  package static let silenceLimit = Duration.seconds(75)

  package fileprivate(set) var kind: Dialect.Stream
  /// The session of a session's own stream.
  fileprivate var sessionID: String?
  /// The first message, if it was read to find out the kind.
  fileprivate var first: FirstMessage?
  fileprivate let client: WebSocketStream
  fileprivate let loop: EventLoop
  fileprivate let access: any Access
  package let serverName: String

  /// Finds out the kind by the first message: servers send one at once.
  fileprivate mutating func learnKind(until deadline: EventLoop.Instant) async throws(OppiError) {
    let (message, _) = try await receive(until: deadline)
    kind = message.kind == .streamConnected ? .session : .perSession
    first = FirstMessage(message)
  }

  /// A message that is returned once.
  fileprivate final class FirstMessage: Sendable {
    private let message: Mutex<ServerMessage?>

    init(_ message: ServerMessage) { self.message = Mutex(message) }

    func take() -> ServerMessage? {
      message.withLock { message in
        defer { message = nil }
        return message
      }
    }
  }

  package typealias Request = PromptDelivery.Request

  package func newID() -> String { loop.newID() }

  /// Sends messages to a session in one write.
  package func send(
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
  package func receive(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (message: ServerMessage, size: Int) {
    if let first = first?.take() { return (first, 0) }
    while true {
      let next = try await nextMessage(until: deadline)
      guard case .unknown = next.message.kind else { return next }
      // A flood must not delay the deadline.
      guard loop.now < deadline else { throw .noAnswer(server: serverName) }
      await loop.yieldIfDue()
    }
  }

  private func nextMessage(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (message: ServerMessage, size: Int) {
    do {
      switch try await client.receive(until: deadline) {
      case .closed(let code, let reason):
        let error = ending(code, reason: reason)
        // Flows may keep the stream for long.
        await client.close()
        if error.isFinalRefusal { await access.noteRevocation(reason.safeLine(limit: 200)) }
        throw error
      case .message(let bytes):
        // The deadline does not apply here: it must not discard a received message.
        let message = try await loop.offload(ifLong: bytes.isLongToRead) {
          (try? JSONValue(parsing: bytes)).flatMap(ServerMessage.init)
        }
        guard let message else {
          throw OppiError.malformedAnswer(server: serverName, what: "message")
        }
        return (message, bytes.count)
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

  /// When the stream is dead unless something arrives before, pings included.
  package var silenceEnd: EventLoop.Instant {
    get async { await client.lastActivity + Self.silenceLimit }
  }

  package var isDead: Bool { get async { await silenceEnd <= loop.now } }

  /// Closes with code 1000.
  package func close() async {
    await client.close()
  }
}

extension IntentWebSocket: Equatable {
  package static func == (one: Self, other: Self) -> Bool { one.client === other.client }
}

extension CloseCode {
  /// The access token of the stream's upgrade is no longer valid.
  fileprivate static let authorizationExpired = CloseCode(rawValue: 4001)
}

extension ServerCalls {
  /// Opens a session's stream in the dialect that its server speaks: the one that the server is known
  /// to have, or else the one that it turns out to have.
  package func openStream(of session: ServerSession) async throws(OppiError) -> IntentWebSocket {
    if session.server.dialect?.stream.needsWorkspace != true {
      do {
        return try await openMultiplexed()
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

  /// Opens the session's own stream, which starts its agent, or `/stream` if the server was upgraded
  /// from the older dialect.
  package func openOwnStream(of session: ServerSession) async throws(OppiError) -> IntentWebSocket {
    guard let workspaceID = session.workspaceID else {
      throw .unknownSession(name: session.id)
    }
    let known = session.server.dialect?.stream
    let kind = known?.needsWorkspace == true ? known : nil
    do {
      let target = "/workspaces/\(workspaceID)/sessions/\(session.id)/stream"
      var socket = try await open(target, kind ?? .session)
      socket.sessionID = session.id
      if kind == nil { try await socket.learnKind(until: deadline) }
      return socket
    } catch  where error.isNotFound && kind != nil {
      return try await openMultiplexed()
    }
  }

  /// Opens the stream of all sessions.
  package func openMultiplexed() async throws(OppiError) -> IntentWebSocket {
    try await open("/stream", .multiplexed)
  }

  /// Opens the stream of the events of all sessions, which starts no agent.
  package func openAppEvents() async throws(OppiError) -> IntentWebSocket {
    try await open("/app/events/stream", .session)
  }

  private func open(
    _ target: String,
    _ kind: Dialect.Stream
  ) async throws(OppiError) -> IntentWebSocket {
    let client = try await api.authorized(over: line) {
      headers async throws(OppiError) -> WebSocketStream in
      do throws(TransportError) {
        return try await WebSocketStream.connect(
          network: api.network,
          to: api.destination,
          target: target,
          headers: headers,
          until: deadline
        )
      } catch .upgradeRefused(.status(let status)) {
        throw .refused(status: status, message: nil, server: api.serverName)
      } catch {
        throw .transport(error, server: api.serverName)
      }
    }
    return IntentWebSocket(
      kind: kind,
      client: client,
      loop: loop,
      access: api.access,
      serverName: api.serverName
    )
  }
}
