// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Sends an event of a session to the streams that subscribed to its agent.
  func emit(_ type: String, _ members: [String: JSONValue?] = [:], from session: LiveSession) {
    guard let agent = session.agent else { return }
    var event = JSONValue.members(members).adding(["type": .string(type)])
    if EventKind.durable.contains(type) {
      event = agent.log.append(event)
      writeLater(session)
    }
    for stream in orderedStreams {
      guard let subscription = stream.subscriptions[session.id],
        subscription.agent == agent.number,
        subscription.level == .full || EventKind.notifications.contains(type)
      else { continue }
      send(event, about: session.id, to: stream)
    }
  }

  func emitState(_ session: LiveSession) {
    emit("state", ["session": json(session)], from: session)
  }

  /// Tells of a failure of the agent, which older servers keep to themselves.
  func emitError(_ text: String, from session: LiveSession) {
    if dialect.tellsFailures { emit("error", ["error": .string(text)], from: session) }
  }

  func emitQueue(_ session: LiveSession) {
    guard dialect.announcesQueue, let agent = session.agent else { return }
    emit("queue_state", ["queue": agent.queue.json], from: session)
  }

  /// Pushes an event to every stream, subscribed or not.
  func push(_ event: JSONValue) {
    streamSequence += 1
    let numbered = event.adding(["streamSeq": .number(streamSequence)])
    for stream in orderedStreams { stream.outbox.send(numbered) }
  }

  /// Sends to one stream; on a session's own stream nobody needs the session's id.
  func send(_ event: JSONValue, about sessionID: String?, to stream: Stream) {
    let id = stream.kind == .multiplexed ? sessionID : nil
    stream.outbox.send(event.adding(["sessionId": id.map(JSONValue.string)]))
  }
}
