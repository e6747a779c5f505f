// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire
import WebSocketCodec

/// What a WebSocket serves; its messages are handled in order.
package struct SocketService: Sendable {
  /// The service of a path; `nil` if there is none.
  package typealias Table = @Sendable (_ path: String, isolated Sessions) -> SocketService?

  /// Whether the stream is closed with a code when the server stops.
  let announcesShutdown: Bool
  /// Greets the client.
  let open: @Sendable (HostSocket) async -> Void
  /// Handles a message of the client, which is `nil` if it is not JSON.
  let handle: @Sendable (HostSocket, JSONValue?) async -> Void
  let close: @Sendable (HostSocket) async -> Void

  package init(
    announcesShutdown: Bool = true,
    open: @escaping @Sendable (HostSocket) async -> Void,
    handle: @escaping @Sendable (HostSocket, JSONValue?) async -> Void = { _, _ in },
    close: @escaping @Sendable (HostSocket) async -> Void = { _ in }
  ) {
    self.announcesShutdown = announcesShutdown
    self.open = open
    self.handle = handle
    self.close = close
  }

  /// The sockets of sessions and of app events.
  package static let table: Table = { path, sessions in
    if path == "/app/events/stream" { return appEvents(of: sessions) }
    guard let (workspaceID, sessionID) = session(ofPath: path) else { return nil }
    return sessions.all[sessionID]?.workspace.id == workspaceID
      ? session(sessionID, of: sessions) : missing
  }

  /// The session in the path of its stream; `nil` for another path.
  package static func session(
    ofPath path: String
  ) -> (workspaceID: String, sessionID: String)? {
    guard let parameters = PathTemplate("/workspaces/:ws/sessions/:sid/stream").match(path),
      let workspaceID = parameters["ws"], let sessionID = parameters["sid"]
    else { return nil }
    return (workspaceID, sessionID)
  }

  /// The socket of a session; messages are lost until it is set up.
  private static func session(_ id: String, of sessions: Sessions) -> SocketService {
    SocketService { socket in
      socket.sender.send([
        "type": "stream_connected", "userName": .string(sessions.configuration.name),
        "serverDictationAvailable": false,
      ])
      sessions.background.start { await sessions.setUp(socket, of: id) }
    } handle: { socket, json in
      guard await sessions.viewers[socket.id] != nil else { return }
      await ClientRequest.answer(json, over: socket.outlet(of: id)) {
        request throws(StreamError) in
        try await sessions.handle(request, of: id)
      }
    } close: { socket in
      await sessions.removeViewer(socket.id)
    }
  }

  /// The socket of a session that does not exist; closed after the upgrade.
  private static let missing = SocketService { socket in
    socket.sender.close(.policyViolation, reason: "Session not found")
  }

  /// The socket of the events of all sessions.
  private static func appEvents(of sessions: Sessions) -> SocketService {
    SocketService { socket in
      socket.sender.send([
        "type": "app_events_connected", "serverTime": sessions.loop.timestamp.json,
        "snapshotRequired": true,
      ])
      await sessions.addViewerOfAll(socket)
    } close: { socket in
      await sessions.removeViewer(socket.id)
    }
  }
}

extension HostSocket {
  /// Names the session in all messages.
  fileprivate func outlet(of sessionID: String) -> Outlet {
    { [sender] message, _ in sender.send(message.adding(["sessionId": .string(sessionID)])) }
  }
}

extension Sessions {
  /// Starts the agent, sends what a new viewer needs, and then begins to listen.
  fileprivate func setUp(_ socket: HostSocket, of sessionID: String) async {
    let outlet = socket.outlet(of: sessionID)
    guard let session = all[sessionID] else {
      return socket.sender.close(.policyViolation, reason: "Session not found")
    }
    let seen = session.agent?.log.sequence ?? 0
    openers[socket.id] = (sessionID, outlet)
    defer { openers[socket.id] = nil }
    do {
      try await start(session)
    } catch {
      outlet(error.event, nil)
      return socket.sender.close(.internalError, reason: "Session stream setup failed")
    }
    guard let agent = session.agent, !socket.sender.hasEnded else { return }
    viewers[socket.id] = Viewer(outlet: outlet, session: (sessionID, agent.number))
    outlet(connected(session), nil)
    for event in agent.log.events(after: seen) ?? [] { outlet(event, nil) }
    outlet(["type": "state", "session": json(session)], nil)
    sendDialogs(of: agent, to: outlet)
  }

  /// The greeting of the viewers of a session.
  package func connected(_ session: LiveSession) -> JSONValue {
    .object([
      "type": "connected",
      "session": json(session),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
      "runtimeEpoch": session.agent?.epoch.map(JSONValue.string),
    ])
  }

  fileprivate func addViewerOfAll(_ socket: HostSocket) {
    let sender = socket.sender
    viewers[socket.id] = Viewer(outlet: { message, _ in sender.send(message) })
  }

  fileprivate func removeViewer(_ id: Int) { viewers[id] = nil }
}
