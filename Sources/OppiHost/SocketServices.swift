// SPDX-License-Identifier: MIT

package import OppiModel
import Synchronization
import WebSocketCodec

/// The socket of a session, which hears nothing until it is set up.
struct SessionSocket: SocketService {
  let sessions: Sessions
  let sessionID: String

  func open(_ socket: HostSocket) async {
    socket.sender.send([
      "type": "stream_connected", "userName": .string(sessions.configuration.name),
      "serverDictationAvailable": false,
    ])
    // Meanwhile messages are read, and lost.
    sessions.background.start { await sessions.setUp(socket, of: sessionID) }
  }

  func listens(to socket: HostSocket) async -> Bool { await sessions.viewers.has(socket.id) }

  func handle(_ text: String, _ json: JSONValue?, of socket: HostSocket) async {
    let outlet = SessionOutlet(target: socket.sender, sessionID: sessionID)
    await outlet.answer(json) { request throws(StreamError) in
      try await sessions.handle(request, of: sessionID)
    }
  }

  func handle(binary bytes: [UInt8], of socket: HostSocket) async -> Bool {
    SessionOutlet(target: socket.sender, sessionID: sessionID)
      .sendError("Binary messages are not supported on session stream")
    return false
  }

  func close(_ socket: HostSocket) async { await sessions.removeViewer(socket.id) }
}

/// The socket of a session that does not exist; closed after the upgrade.
struct MissingSessionSocket: SocketService {
  func open(_ socket: HostSocket) async {
    socket.sender.close(.policyViolation, reason: "Session not found")
  }
}

/// The socket of the events of all sessions.
struct AppEventSocket: SocketService {
  let sessions: Sessions

  func open(_ socket: HostSocket) async {
    socket.sender.send([
      "type": "app_events_connected", "serverTime": sessions.loop.timestamp.json,
      "snapshotRequired": true,
    ])
    await sessions.addViewerOfAll(socket)
  }

  func close(_ socket: HostSocket) async { await sessions.removeViewer(socket.id) }
}

extension Sessions {
  /// Starts the agent, sends what a new viewer needs, and then begins to listen.
  fileprivate func setUp(_ socket: HostSocket, of sessionID: String) async {
    let outlet = SessionOutlet(target: socket.sender, sessionID: sessionID)
    guard let session = all[sessionID] else {
      return socket.sender.close(.policyViolation, reason: "Session not found")
    }
    let seen = session.agent?.log.sequence ?? 0
    do {
      try await start(session)
    } catch {
      outlet.send(error.event, about: nil)
      return socket.sender.close(.internalError, reason: "Session stream setup failed")
    }
    guard let agent = session.agent, !socket.sender.hasEnded else { return }
    viewers.add(outlet, socket.id, of: agent, in: sessionID)
    outlet.send(connected(session), about: nil)
    for event in agent.log.events(after: seen) ?? [] { outlet.send(event, about: nil) }
    outlet.send(["type": "state", "session": json(session)], about: nil)
    sendDialogs(of: agent, in: sessionID, to: outlet)
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
    viewers.addViewerOfAll(socket.sender, socket.id)
  }

  fileprivate func removeViewer(_ id: Int) {
    viewers.remove(id)
  }
}

/// Names the session in all messages.
private struct SessionOutlet: Outlet {
  let target: Sender
  let sessionID: String

  func send(_ message: JSONValue, about _: String?) {
    target.send(message.adding(["sessionId": .string(sessionID)]))
  }
}

/// Collects the messages that a command over REST is sent.
final class Collector: Outlet {
  private let sessionID: String
  private let collected = Mutex<[JSONValue]>([])

  init(sessionID: String) {
    self.sessionID = sessionID
  }

  var messages: [JSONValue] { collected.withLock { $0 } }

  func send(_ message: JSONValue, about _: String?) {
    collected.withLock { $0.append(message.adding(["sessionId": .string(sessionID)])) }
  }
}
