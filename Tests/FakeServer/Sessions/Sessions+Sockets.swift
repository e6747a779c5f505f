// SPDX-License-Identifier: MIT

import OppiModel
import WebSocketCodec

// MARK: - A session's socket

extension Sessions {
  func isListening(stream id: Int) -> Bool { streams[id]?.isListening == true }

  /// Starts the agent, sends what a new viewer needs, and then begins to listen.
  func setUp(_ id: Int, sessionID: String, _ sender: Sender) async {
    guard let session = all[sessionID] else {
      return sender.close(.policyViolation, reason: "Session not found")
    }
    let seen = session.agent?.log.sequence ?? 0
    do {
      try await start(session)
    } catch {
      streams[id]?.send(error.event, about: sessionID)
      return sender.close(.internalError, reason: "Session stream setup failed")
    }
    guard let agent = session.agent, let stream = streams[id] else { return }
    streams.subscribe(id, to: session, at: .full)
    stream.send(connected(session), about: sessionID)
    for event in agent.log.events(after: seen) ?? [] { stream.send(event, about: sessionID) }
    stream.send(["type": "state", "session": json(session)], about: sessionID)
    sendDialogs(of: agent, to: stream)
    streams.listen(id)
  }
}

// MARK: - Commands over REST

extension Sessions {
  /// Handles a message of a client as a socket would; returns what the socket would have been sent.
  func command(_ message: JSONValue, of sessionID: String) async throws(Refusal) -> JSONValue {
    guard message.object != nil else { throw Refusal(400, "Command body must be an object") }
    guard let type = message["type"].string, !type.isEmpty else {
      throw Refusal(400, "Command type required")
    }
    _ = try session(sessionID)
    let collector = Collector()
    commandCount += 1
    let id = -commandCount
    streams.open(id, Stream(kind: .command(sessionID), sender: collector))
    defer { streams.close(id) }
    let request = StreamRequest(stream: id, type: type, message: message)
    do throws(StreamError) {
      try await handle(request)
    } catch {
      switch error {
      case .invalid(let text): throw Refusal(400, text)
      case .refused(let text) where request.requestID == nil: throw Refusal(500, text)
      default: answer(request, with: error)
      }
    }
    return ["messages": .array(collector.messages)]
  }
}
