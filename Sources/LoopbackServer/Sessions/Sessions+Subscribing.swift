// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension Sessions {
  func subscribe(_ request: StreamRequest) async throws(StreamError) {
    let message = request.message
    guard streams[request.stream]?.maySubscribe(now: loop.now) == true else {
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
    subscribe(stream: request.stream, to: session, at: level)
    let isComplete = catchUp(request.stream, with: session, since: since.int, level)
    confirm(request, of: session, level, isComplete: isComplete)
  }

  func subscribe(stream id: Int, to session: LiveSession, at level: Stream.Level) {
    streams[id]?.subscriptions[session.id] = Stream.Subscription(
      level: level,
      agent: session.agent?.number
    )
  }

  /// Sends what a new subscriber has to know; false where some of the events are gone.
  private func catchUp(
    _ id: Int,
    with session: LiveSession,
    since: Int?,
    _ level: Stream.Level
  ) -> Bool {
    guard let stream = streams[id] else { return true }
    if level == .full { send(connected(session), about: session.id, to: stream) }
    send(["type": "state", "session": json(session)], about: session.id, to: stream)
    let missed = since.map { session.agent?.log.events(after: $0) } ?? []
    for event in missed ?? [] { send(event, about: session.id, to: stream) }
    for permission in orderedPermissions where permission.sessionID == session.id {
      stream.outbox.send(permission.request)
    }
    if let question = session.agent?.question, question.isRepeated {
      stream.outbox.send(question.request)
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
    let data = JSONValue.members([
      "sessionId": .string(session.id),
      "level": .string(level.rawValue),
      "currentSeq": .number(session.agent?.log.sequence ?? 0),
      "catchUpComplete": .bool(isComplete),
      "deduplicated": isRepeated ? true : nil,
    ])
    send(request.result(data), about: session.id, to: stream)
  }

  func unsubscribe(_ request: StreamRequest) {
    guard let id = request.message["sessionId"].string else { return }
    streams[request.stream]?.subscriptions[id] = nil
    guard let stream = streams[request.stream] else { return }
    send(request.result(["sessionId": .string(id)]), about: id, to: stream)
  }
}
