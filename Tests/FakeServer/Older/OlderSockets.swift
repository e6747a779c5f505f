// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiModel
import OppiTransport
import Synchronization
import WebSocketCodec

/// The streams of servers before session sockets.
extension FakeVariant {
  var upgrades: Upgrades {
    switch dialect.stream {
    case .session: Upgrades()
    case .multiplexed:
      Upgrades { [self] path, sessions in
        path == "/stream" ? MultiplexedSocket(variant: self, sessions: sessions) : nil
      }
    case .perSession:
      Upgrades(checksOrigins: false) { [self] path, sessions in
        guard let (workspaceID, id) = Upgrades.session(ofPath: path),
          await sessions.contains(id, inWorkspace: workspaceID)
        else { return nil }
        return OwnSocket(variant: self, sessions: sessions, sessionID: id)
      }
    }
  }
}

/// The one stream of all sessions, with subscriptions.
private struct MultiplexedSocket: SocketService {
  let variant: FakeVariant
  let sessions: Sessions

  func open(_ socket: HostSocket) async {
    let outlet = OlderOutlet(sender: socket.sender, isMultiplexed: true)
    variant.state.withLock { $0.streams[socket.id] = OlderStream(outlet) }
    let name = JSONValue.string(variant.configuration.name)
    outlet.send(["type": "stream_connected", "userName": name], about: nil)
  }

  func handle(_ text: String, _ json: JSONValue?, of socket: HostSocket) async {
    guard variant.has(socket) else { return }
    let outlet = OlderOutlet(sender: socket.sender, isMultiplexed: true)
    await outlet.answer(json) { request throws(StreamError) in
      try await variant.handle(request, onStream: socket.id, sessions)
    }
  }

  func handle(binary bytes: [UInt8], of socket: HostSocket) async -> Bool {
    socket.sender.close(.unsupportedData, reason: "Binary frames not supported")
    await close(socket)
    return false
  }

  func close(_ socket: HostSocket) async { variant.remove(socket) }
}

/// A session's own stream on the first servers.
private struct OwnSocket: SocketService {
  let variant: FakeVariant
  let sessions: Sessions
  let sessionID: String

  var messageLimit: Int { 100 << 20 }
  var announcesShutdown: Bool { false }

  /// Starts the agent; if that fails, the close frame has no code.
  func open(_ socket: HostSocket) async {
    let outlet = OlderOutlet(sender: socket.sender, isMultiplexed: false)
    variant.state.withLock { $0.streams[socket.id] = OlderStream(outlet) }
    if await !variant.open(outlet, socket.id, of: sessionID, sessions) {
      socket.sender.close(nil)
      await close(socket)
    }
  }

  func handle(_ text: String, _ json: JSONValue?, of socket: HostSocket) async {
    guard variant.has(socket) else { return }
    let outlet = OlderOutlet(sender: socket.sender, isMultiplexed: false)
    guard json != nil else {
      return outlet.sendError(
        "Unexpected token '\(text.prefix(1))', \"\(text)\" is not valid JSON"
      )
    }
    await outlet.answer(json) { request throws(StreamError) in
      try await variant.handle(request, ofSession: sessionID, sessions)
    }
  }

  func handle(binary bytes: [UInt8], of socket: HostSocket) async -> Bool { true }

  func close(_ socket: HostSocket) async { variant.remove(socket) }
}

extension FakeVariant {
  /// Whether a stream is open; the messages of others are lost.
  fileprivate func has(_ socket: HostSocket) -> Bool {
    state.withLock { $0.streams[socket.id] != nil }
  }

  fileprivate func remove(_ socket: HostSocket) {
    state.withLock { $0.streams[socket.id] = nil }
  }
}

// MARK: - A session's own stream

extension FakeVariant {
  /// Greets the client and starts the agent; returns false if that fails.
  fileprivate func open(
    _ outlet: OlderOutlet,
    _ id: Int,
    of sessionID: String,
    _ sessions: isolated Sessions
  ) async -> Bool {
    guard let session = sessions.all[sessionID] else { return false }
    let greeting = sessions.connected(session).adding(["session": shown(session)])
    outlet.send(greeting, about: nil)
    do {
      try await sessions.start(session)
    } catch {
      outlet.send(error.event, about: nil)
      return false
    }
    subscribe(id, to: session, at: .full)
    outlet.send(["type": "state", "session": sessions.json(session)], about: nil)
    for permission in state.withLock(\.permissions.all) { outlet.sender.send(permission.request) }
    return true
  }

  fileprivate func handle(
    _ request: ClientRequest,
    ofSession id: String,
    _ sessions: isolated Sessions
  ) async throws(StreamError) {
    if request.type == "permission_response" { return try respondToPermission(request) }
    guard !["subscribe", "unsubscribe"].contains(request.type) else {
      throw .protocolError(
        "Stream subscriptions are only supported on /stream (received \(request.type))"
      )
    }
    guard let session = sessions.all[id] else { throw .protocolError("Session not found: \(id)") }
    // The first servers ignore unknown messages.
    if commands[request.type] != nil { try await perform(request, in: session, sessions) }
  }

  private func subscribe(_ id: Int, to session: LiveSession, at level: OlderStream.Level) {
    let subscription = OlderStream.Subscription(level: level, agent: session.agent?.number)
    let sessionID = session.id
    state.withLock { $0.streams[id]?.subscriptions[sessionID] = subscription }
  }

  /// Handles a message to a session; without an agent, less is possible than today.
  private func perform(
    _ request: ClientRequest,
    in session: LiveSession,
    _ sessions: isolated Sessions
  ) async throws(StreamError) {
    guard commands[request.type] != nil else {
      throw .refused("Unsupported command type: \(request.type)")
    }
    guard session.agent != nil || !["extension_ui_response", "set_model"].contains(request.type)
    else { throw .refused("Session not active: \(session.id)") }
    try await sessions.perform(request, in: session)
  }
}

// MARK: - The multiplexed stream

extension FakeVariant {
  fileprivate func handle(
    _ request: ClientRequest,
    onStream id: Int,
    _ sessions: isolated Sessions
  ) async throws(StreamError) {
    switch request.type {
    case "permission_response": try respondToPermission(request)
    case "subscribe": try await subscribe(request, onStream: id, sessions)
    case "unsubscribe": unsubscribe(request, onStream: id)
    default:
      guard let target = request.message["sessionId"].string else {
        throw .protocolError("sessionId is required for \(request.type) on /stream")
      }
      guard let session = sessions.all[target] else {
        throw .protocolError("Session not found: \(target)")
      }
      guard isSubscribed(id, to: target, at: .full) else {
        return refuse(request, unsubscribedTo: target)
      }
      try await perform(request, in: session, sessions)
    }
  }

  private func isSubscribed(_ id: Int, to sessionID: String, at level: OlderStream.Level) -> Bool {
    state.withLock { $0.streams[id]?.isSubscribed(to: sessionID, at: level) == true }
  }

  private func refuse(_ request: ClientRequest, unsubscribedTo id: String) {
    let text = "Session \(id) is not subscribed at level=full"
    let event: JSONValue = [
      "type": "error", "error": .string(text), "code": "stream_not_subscribed_full",
    ]
    request.outlet.send(event, about: id)
    if request.requestID != nil { request.outlet.send(request.result(error: text), about: id) }
  }

  private func subscribe(
    _ request: ClientRequest,
    onStream id: Int,
    _ sessions: isolated Sessions
  ) async throws(StreamError) {
    let message = request.message
    let now = loop.now
    guard state.withLock({ $0.streams[id]?.maySubscribe(now: now) == true }) else {
      throw .refused("Subscribe rate limit exceeded — try again later")
    }
    guard let session = message["sessionId"].string.flatMap({ sessions.all[$0] }) else {
      throw .refused("Session not found: \(message["sessionId"].string ?? "undefined")")
    }
    let since = message["sinceSeq"]
    guard since == .null || (since.int ?? -1) >= 0 else {
      throw .refused("sinceSeq must be a non-negative integer")
    }
    let level = OlderStream.Level(rawValue: message["level"].string ?? "") ?? .full
    if since == .null, isSubscribed(id, to: session.id, at: level) {
      return confirm(request, of: session, level, isComplete: true, isRepeated: true)
    }
    if level == .full {
      do {
        try await sessions.start(session)
      } catch {
        throw .refused(error.text)
      }
    }
    subscribe(id, to: session, at: level)
    let isComplete = catchUp(request.outlet, with: session, since: since.int, level, sessions)
    confirm(request, of: session, level, isComplete: isComplete)
  }

  /// Sends the state that a new subscriber needs; returns false if some events are no longer
  /// stored.
  private func catchUp(
    _ outlet: any Outlet,
    with session: LiveSession,
    since: Int?,
    _ level: OlderStream.Level,
    _ sessions: isolated Sessions
  ) -> Bool {
    if level == .full { outlet.send(sessions.connected(session), about: session.id) }
    let current: JSONValue = ["type": "state", "session": sessions.json(session)]
    outlet.send(current, about: session.id)
    let missed = since.map { session.agent?.log.events(after: $0) } ?? []
    for event in missed ?? [] { outlet.send(event, about: session.id) }
    for permission in permissions(of: session) {
      outlet.send(permission.request, about: session.id)
    }
    // Other dialogs are lost for later subscribers.
    for question in session.agent?.questions ?? [] where question.request["method"] == "ask" {
      outlet.send(question.request, about: session.id)
    }
    return missed != nil
  }

  private func confirm(
    _ request: ClientRequest,
    of session: LiveSession,
    _ level: OlderStream.Level,
    isComplete: Bool,
    isRepeated: Bool = false
  ) {
    let data = JSONValue.object([
      "sessionId": .string(session.id),
      "level": .string(level.rawValue),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
      "catchUpComplete": .bool(isComplete),
      "deduplicated": isRepeated ? true : nil,
    ])
    request.outlet.send(request.result(data), about: session.id)
  }

  private func unsubscribe(_ request: ClientRequest, onStream id: Int) {
    guard let sessionID = request.message["sessionId"].string else { return }
    state.withLock { $0.streams[id]?.subscriptions[sessionID] = nil }
    request.outlet.send(request.result(["sessionId": .string(sessionID)]), about: sessionID)
  }
}
