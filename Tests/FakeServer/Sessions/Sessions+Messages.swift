// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Handles a message of a stream; the next message waits until this returns.
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

  func sendError(_ text: String, toStream id: Int) {
    if let stream = streams[id] { sendError(text, to: stream) }
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

  /// Handles a message of an open stream.
  func handle(_ request: StreamRequest) async throws(StreamError) {
    if let stream = streams[request.stream] { try await handle(request, on: stream) }
  }

  private func handle(_ request: StreamRequest, on stream: Stream) async throws(StreamError) {
    if request.type == "permission_response", dialect.asksForApproval {
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
      // Older servers ignore unknown messages.
      if Self.commands[request.type] != nil { try await perform(request, in: session) }
    case .socket(let id), .command(let id):
      guard let session = all[id] else { throw .refused("Session not active: \(id)") }
      if let target = request.message["sessionId"].string, target != id {
        throw .foreignSession(id: target)
      }
      try await perform(request, in: session)
    case .appEvents, .missingSession: break
    case .multiplexed:
      switch request.type {
      case "subscribe": try await subscribe(request)
      case "unsubscribe": unsubscribe(request)
      default: try await perform(request, in: try target(of: request, on: stream))
      }
    }
  }

  /// The session that a message addresses; the stream must have a full subscription to it.
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

  func answer(_ request: StreamRequest, with error: StreamError) {
    if let stream = streams[request.stream] { answer(request, with: error, on: stream) }
  }

  private func answer(_ request: StreamRequest, with error: StreamError, on stream: Stream) {
    switch error {
    case .protocolError(let text):
      sendError(text, to: stream)
    case .unsupported(let text):
      stream.send(request.result(error: text), about: nil)
    case .foreignSession(let id):
      let text = "Bound session stream cannot target session \(id)"
      sendError(text, to: stream)
      stream.send(request.result(error: text), about: nil)
    case .refused(let text), .invalid(let text):
      guard request.requestID != nil || request.type == "subscribe" else {
        return sendError(text, to: stream)
      }
      stream.send(
        request.result(error: text),
        about: request.message["sessionId"].string
      )
    case .questionNotFound(let id):
      let event: JSONValue = ["type": "error", "error": .string("UI request not found: \(id)")]
      stream.send(event, about: request.message["sessionId"].string)
    case .notSubscribed(let id):
      let text = "Session \(id) is not subscribed at level=full"
      let event: JSONValue = [
        "type": "error", "error": .string(text), "code": "stream_not_subscribed_full",
      ]
      stream.send(event, about: id)
      if request.requestID != nil { stream.send(request.result(error: text), about: id) }
    }
  }

  private func sendError(_ text: String, to stream: Stream) {
    stream.send(["type": "error", "error": .string(text)], about: nil)
  }
}
