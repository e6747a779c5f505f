// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

// MARK: - Opening and closing

extension Sessions {
  func open(stream id: Int, kind: Stream.Kind, sender: any Outlet) {
    let stream = Stream(kind: kind, sender: sender)
    streams.open(id, stream)
    switch kind {
    case .multiplexed:
      let name = JSONValue.string(configuration.name)
      stream.send(["type": "stream_connected", "userName": name], about: nil)
    case .session(let sessionID):
      guard let session = all[sessionID] else { return }
      stream.send(connected(session), about: nil)
    case .socket:
      sender.send([
        "type": "stream_connected", "userName": .string(configuration.name),
        "serverDictationAvailable": false,
      ])
    case .appEvents:
      sender.send([
        "type": "app_events_connected", "serverTime": loop.timestamp.json,
        "snapshotRequired": true,
      ])
    case .missingSession, .command: break
    }
  }

  /// Starts the agent of a session's own stream; returns false if that fails.
  func startForStream(_ id: Int, sessionID: String) async -> Bool {
    guard let session = all[sessionID], let stream = streams[id] else { return false }
    do {
      try await start(session)
    } catch {
      stream.send(error.event, about: nil)
      return false
    }
    streams.subscribe(id, to: session, at: .full)
    stream.send(["type": "state", "session": json(session)], about: nil)
    for permission in permissions.all { stream.sender.send(permission.request) }
    return true
  }

  func close(stream id: Int) {
    streams.close(id)
  }

  func connected(_ session: LiveSession) -> JSONValue {
    .object([
      "type": "connected",
      "session": shown(session),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
      "runtimeEpoch": session.agent.flatMap(shownEpoch),
    ])
  }

  /// The agent's epoch on servers that report it.
  func shownEpoch(of agent: Agent) -> JSONValue? {
    dialect.hasSessionSockets && configuration.hasRuntimeEpochs ? .string(agent.epoch) : nil
  }
}

extension Refusal {
  /// The error for streams.
  var event: JSONValue {
    .object([
      "type": "error",
      "error": .string(text),
      "code": code.map(JSONValue.string),
      "fatal": code == nil ? nil : true,
    ])
  }
}

// MARK: - Subscriptions

extension Sessions {
  func subscribe(_ request: StreamRequest) async throws(StreamError) {
    let message = request.message
    guard streams.maySubscribe(request.stream, now: loop.now) else {
      throw .refused("Subscribe rate limit exceeded — try again later")
    }
    guard let session = message["sessionId"].string.flatMap({ all[$0] }) else {
      throw .refused("Session not found: \(message["sessionId"].string ?? "undefined")")
    }
    let since = message["sinceSeq"]
    guard since == .null || (since.int ?? -1) >= 0 else {
      throw .refused("sinceSeq must be a non-negative integer")
    }
    let level = Stream.Level(rawValue: message["level"].string ?? "") ?? .full
    if since == .null, streams[request.stream]?.isSubscribed(to: session.id, at: level) == true {
      return confirm(request, of: session, level, isComplete: true, isRepeated: true)
    }
    if level == .full {
      do {
        try await start(session)
      } catch {
        throw .refused(error.text)
      }
    }
    streams.subscribe(request.stream, to: session, at: level)
    let isComplete = catchUp(request.stream, with: session, since: since.int, level)
    confirm(request, of: session, level, isComplete: isComplete)
  }

  /// Sends the state that a new subscriber needs; returns false if some events are no longer
  /// stored.
  private func catchUp(
    _ id: Int,
    with session: LiveSession,
    since: Int?,
    _ level: Stream.Level
  ) -> Bool {
    guard let stream = streams[id] else { return true }
    if level == .full { stream.send(connected(session), about: session.id) }
    stream.send(["type": "state", "session": json(session)], about: session.id)
    let missed = since.map { session.agent?.log.events(after: $0) } ?? []
    for event in missed ?? [] { stream.send(event, about: session.id) }
    for permission in permissions.all(of: session) {
      stream.sender.send(permission.request)
    }
    for question in session.agent?.questions ?? [] where question.isRepeated {
      stream.sender.send(question.request)
    }
    return missed != nil
  }

  private func confirm(
    _ request: StreamRequest,
    of session: LiveSession,
    _ level: Stream.Level,
    isComplete: Bool,
    isRepeated: Bool = false
  ) {
    guard let stream = streams[request.stream] else { return }
    let data = JSONValue.object([
      "sessionId": .string(session.id),
      "level": .string(level.rawValue),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
      "catchUpComplete": .bool(isComplete),
      "deduplicated": isRepeated ? true : nil,
    ])
    stream.send(request.result(data), about: session.id)
  }

  func unsubscribe(_ request: StreamRequest) {
    guard let id = request.message["sessionId"].string else { return }
    streams.unsubscribe(request.stream, from: id)
    guard let stream = streams[request.stream] else { return }
    stream.send(request.result(["sessionId": .string(id)]), about: id)
  }
}
