// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiText
import OppiWire
import Synchronization

/// The streams of servers before session sockets.
extension FakeVariant {
  var sockets: SocketService.Table {
    switch dialect.stream {
    case .session: SocketService.table
    case .multiplexed:
      { [self] path, sessions in path == "/stream" ? multiplexedStream(of: sessions) : nil }
    case .perSession:
      { [self] path, sessions in
        guard let (workspaceID, id) = SocketService.session(ofPath: path),
          sessions.all[id]?.workspace.id == workspaceID
        else { return nil }
        return ownStream(of: id, sessions)
      }
    }
  }

  /// The one stream of all sessions, with subscriptions.
  private func multiplexedStream(of sessions: Sessions) -> SocketService {
    SocketService { [self] socket in
      _ = add(socket, isMultiplexed: true)
      let name = JSONValue.string(configuration.name)
      socket.sender.send(["type": "stream_connected", "userName": name])
    } handle: { [self] socket, json in
      guard let outlet = outlet(of: socket) else { return }
      await ClientRequest.answer(json, over: outlet) { request throws(StreamError) in
        try await handle(request, onStream: socket.id, sessions)
      }
    } close: { [self] socket in
      remove(socket)
    }
  }

  /// A session's own stream on the first servers; if the agent does not start, the close frame has
  /// no code.
  private func ownStream(of sessionID: String, _ sessions: Sessions) -> SocketService {
    SocketService(announcesShutdown: false) { [self] socket in
      if await !open(socket, of: sessionID, sessions) {
        socket.sender.close(nil)
        remove(socket)
      }
    } handle: { [self] socket, json in
      guard let outlet = outlet(of: socket) else { return }
      await ClientRequest.answer(json, over: outlet) { request throws(StreamError) in
        try await handle(request, ofSession: sessionID, sessions)
      }
    } close: { [self] socket in
      remove(socket)
    }
  }

  private func add(_ socket: HostSocket, isMultiplexed: Bool) -> Outlet {
    let stream = OlderStream(socket, isMultiplexed: isMultiplexed)
    state.withLock { $0.streams[socket.id] = stream }
    return stream.outlet
  }

  /// Where the messages of an open stream go; `nil` for others, whose messages are lost.
  private func outlet(of socket: HostSocket) -> Outlet? {
    state.withLock { $0.streams[socket.id]?.outlet }
  }

  private func remove(_ socket: HostSocket) {
    state.withLock { $0.streams[socket.id] = nil }
  }
}

// MARK: - A session's own stream

extension FakeVariant {
  /// Greets the client and starts the agent; returns false if that fails.
  private func open(
    _ socket: HostSocket,
    of sessionID: String,
    _ sessions: isolated Sessions
  ) async -> Bool {
    let outlet = add(socket, isMultiplexed: false)
    guard let session = sessions.all[sessionID] else { return false }
    outlet(sessions.connected(session).adding(["session": shown(session)]), nil)
    do {
      try await sessions.start(session)
    } catch {
      outlet(error.event, nil)
      return false
    }
    subscribe(socket.id, to: session, at: .full)
    outlet(["type": "state", "session": sessions.json(session)], nil)
    for permission in state.withLock(\.permissions.all) { socket.sender.send(permission.request) }
    return true
  }

  private func handle(
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
    guard Sessions.commands.contains(request.type) else { return }
    try await perform(request, in: session, sessions)
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
    guard Sessions.commands.contains(request.type) else {
      throw .refused("Unsupported command type: \(request.type)")
    }
    guard session.agent != nil || !["extension_ui_response", "set_model"].contains(request.type)
    else { throw .refused("Session not active: \(session.id)") }
    try await sessions.perform(request, in: session)
  }
}

// MARK: - The multiplexed stream

extension FakeVariant {
  private func handle(
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
        let text = "Session \(target) is not subscribed at level=full"
        let event: JSONValue = [
          "type": "error", "error": .string(text), "code": "stream_not_subscribed_full",
        ]
        request.outlet(event, target)
        guard request.requestID != nil else { return }
        return request.outlet(request.result(error: text), target)
      }
      try await perform(request, in: session, sessions)
    }
  }

  private func isSubscribed(_ id: Int, to sessionID: String, at level: OlderStream.Level) -> Bool {
    state.withLock { $0.streams[id]?.subscriptions[sessionID]?.level == level }
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
    _ outlet: Outlet,
    with session: LiveSession,
    since: Int?,
    _ level: OlderStream.Level,
    _ sessions: isolated Sessions
  ) -> Bool {
    if level == .full { outlet(sessions.connected(session), session.id) }
    let current: JSONValue = ["type": "state", "session": sessions.json(session)]
    outlet(current, session.id)
    let missed = since.map { session.agent?.log.events(after: $0) } ?? []
    for event in missed ?? [] { outlet(event, session.id) }
    for permission in permissions(of: session) {
      outlet(permission.request, session.id)
    }
    // Other dialogs are lost for later subscribers.
    for question in session.agent?.questions ?? [] where question.request["method"] == "ask" {
      outlet(question.request, session.id)
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
    request.outlet(request.result(data), session.id)
  }

  private func unsubscribe(_ request: ClientRequest, onStream id: Int) {
    guard let sessionID = request.message["sessionId"].string else { return }
    state.withLock { $0.streams[id]?.subscriptions[sessionID] = nil }
    request.outlet(request.result(["sessionId": .string(sessionID)]), sessionID)
  }
}
