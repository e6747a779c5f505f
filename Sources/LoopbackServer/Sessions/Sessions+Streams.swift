// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Opening and closing

extension Sessions {
  /// Takes a new stream and greets it.
  func open(stream id: Int, kind: Stream.Kind, outbox: Outbox) {
    let stream = Stream(kind: kind, outbox: outbox)
    streams[id] = stream
    switch kind {
    case .multiplexed:
      let name = JSONValue.string(configuration.name)
      send(["type": "stream_connected", "userName": name], about: nil, to: stream)
    case .session(let sessionID):
      guard let session = all[sessionID] else { return }
      send(connected(session), about: nil, to: stream)
    }
  }

  /// Starts the agent behind a session's own stream; false where that fails.
  func startForStream(_ id: Int, sessionID: String) async -> Bool {
    guard let session = all[sessionID], let stream = streams[id] else { return false }
    do {
      try await start(session)
    } catch {
      let event = JSONValue.members([
        "type": "error",
        "error": .string(error.text),
        "code": error.code.map(JSONValue.string),
        "fatal": error.code == nil ? nil : true,
      ])
      send(event, about: nil, to: stream)
      return false
    }
    subscribe(stream: id, to: session, at: .full)
    send(["type": "state", "session": json(session)], about: nil, to: stream)
    for permission in orderedPermissions { stream.outbox.send(permission.request) }
    return true
  }

  func close(stream id: Int) {
    streams[id] = nil
  }

  func connected(_ session: LiveSession) -> JSONValue {
    [
      "type": "connected",
      "session": shown(session),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
    ]
  }
}

// MARK: - Messages

extension Sessions {
  /// Handles a message of a stream; the next one waits until it is done.
  func handle(_ text: String, _ json: JSONValue?, from id: Int) async {
    guard let stream = streams[id] else { return }
    do {
      let request = try request(text, json, from: id)
      do {
        try await handle(request, on: stream)
      } catch {
        answer(request, with: error, on: stream)
      }
    } catch {
      if case .protocolError(let text) = error { sendError(text, to: stream) }
    }
  }

  private func request(
    _ text: String,
    _ json: JSONValue?,
    from id: Int
  ) throws(StreamError) -> StreamRequest {
    guard let json else {
      let parserText = "Unexpected token '\(text.prefix(1))', \"\(text)\" is not valid JSON"
      throw .protocolError(dialect.quotesParser ? parserText : "Invalid JSON payload")
    }
    guard json.object != nil else {
      throw .protocolError("Message payload must be a JSON object")
    }
    guard let type = json["type"].string else { throw .protocolError("Message type is required") }
    return StreamRequest(stream: id, type: type, message: json)
  }

  private func handle(_ request: StreamRequest, on stream: Stream) async throws(StreamError) {
    if request.type == "permission_response" {
      return try respondToPermission(request, on: stream)
    }
    switch stream.kind {
    case .session(let id):
      guard !["subscribe", "unsubscribe"].contains(request.type) else {
        throw .protocolError(
          "Stream subscriptions are only supported on /stream (received \(request.type))"
        )
      }
      guard let session = all[id] else { throw .protocolError("Session not found: \(id)") }
      // Older servers do not answer what they do not know.
      if Self.commands[request.type] != nil { try await perform(request, in: session) }
    case .multiplexed:
      switch request.type {
      case "subscribe": try await subscribe(request)
      case "unsubscribe": unsubscribe(request)
      default: try await perform(request, in: try target(of: request, on: stream))
      }
    }
  }

  /// The session that a message is for, which the stream must have subscribed to in full.
  private func target(
    of request: StreamRequest,
    on stream: Stream
  ) throws(StreamError) -> LiveSession {
    guard let id = request.message["sessionId"].string else {
      throw .protocolError("sessionId is required for \(request.type) on /stream")
    }
    guard let session = all[id] else { throw .protocolError("Session not found: \(id)") }
    guard stream.isSubscribed(to: id, at: .full) else { throw .notSubscribed(sessionID: id) }
    return session
  }

  private func answer(_ request: StreamRequest, with error: StreamError, on stream: Stream) {
    switch error {
    case .protocolError(let text):
      sendError(text, to: stream)
    case .refused(let text):
      guard request.requestID != nil || request.type == "subscribe" else {
        return sendError(text, to: stream)
      }
      send(
        request.result(error: text),
        about: request.message["sessionId"].string,
        to: stream
      )
    case .questionNotFound(let id):
      let event: JSONValue = ["type": "error", "error": .string("UI request not found: \(id)")]
      send(event, about: request.message["sessionId"].string, to: stream)
    case .notSubscribed(let id):
      let text = "Session \(id) is not subscribed at level=full"
      let event: JSONValue = [
        "type": "error", "error": .string(text), "code": "stream_not_subscribed_full",
      ]
      send(event, about: id, to: stream)
      if request.requestID != nil { send(request.result(error: text), about: id, to: stream) }
    }
  }

  private func sendError(_ text: String, to stream: Stream) {
    send(["type": "error", "error": .string(text)], about: nil, to: stream)
  }
}
