// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  private static let deltaLength = 14

  typealias IdentifiedCall = (id: String, call: ScriptedCall)

  /// Pauses between two events of an agent; throws if the run is stopped.
  func pause(_ turn: Turn) async throws(Interrupted) {
    if configuration.pace > .zero {
      _ = await wait(for: turn.run.abortion, atMost: configuration.pace)
    } else {
      await Task.yield()
    }
    try checkStop(turn)
  }

  func checkStop(_ turn: Turn) throws(Interrupted) {
    if turn.run.isAborted || !turn.isAlive || Task.isCancelled { throw Interrupted() }
  }

  /// Sends a message and makes its calls; returns the result of the last one.
  func say(
    thinking: String,
    text: String,
    calls: [ScriptedCall],
    _ turn: Turn
  ) async throws(Interrupted) -> ToolResult? {
    let calls = calls.map { (id: "toolu_\(loop.makeID(.long))", call: $0) }
    beginTurn(turn)
    try await stream("thinking_delta", thinking, turn)
    try await stream("text_delta", text, turn)
    for call in calls where dialect.streamsArguments { try await streamArguments(of: call, turn) }
    turn.session.say(thinking: thinking, text: text, calls: calls)
    endMessage(text, turn)
    let result = try await make(calls, turn)
    if !calls.isEmpty { try checkStop(turn) }
    endTurn(turn)
    return result
  }

  /// Sends a text in pieces; `type` is the type of the events.
  func stream(_ type: String, _ text: String, _ turn: Turn) async throws(Interrupted) {
    var rest = text[...]
    while !rest.isEmpty {
      try await pause(turn)
      let delta = String(rest.prefix(Self.deltaLength))
      emit(type, ["delta": .string(delta)], from: turn.session)
      turn.run.partialMessage.append(delta, as: type)
      rest = rest.dropFirst(Self.deltaLength)
    }
  }

  func endPartialMessage(_ turn: Turn) {
    let message = turn.run.partialMessage
    turn.session.say(thinking: message.thinking, text: message.text)
    endMessage(message.text, turn)
  }

  func endMessage(_ text: String, _ turn: Turn) {
    turn.run.partialMessage = PartialMessage()
    emit("message_end", ["role": "assistant", "content": .string(text)], from: turn.session)
    emitState(turn.session)
  }

  /// Announces a call while its arguments grow; each event replaces the previous one.
  private func streamArguments(
    of call: IdentifiedCall,
    _ turn: Turn
  ) async throws(Interrupted) {
    for (index, arguments) in [[:], [:], call.call.arguments].enumerated() {
      try await pause(turn)
      let isUpdate = dialect.updatesCalls && index > 0
      emitStart(of: call, arguments, turn, as: isUpdate ? "tool_update" : "tool_start")
    }
    if !dialect.updatesCalls { emitStart(of: call, call.call.arguments, turn) }
  }

  func emitStart(
    of call: IdentifiedCall,
    _ arguments: JSONValue,
    _ turn: Turn,
    as type: String = "tool_start"
  ) {
    emit(
      type,
      [
        "tool": .string(call.call.tool),
        "args": arguments,
        "toolCallId": .string(call.id),
        "callSegments": call.call.segments(arguments),
      ],
      from: turn.session
    )
  }

  // MARK: - Turns of older servers

  func beginTurn(_ turn: Turn) {
    guard dialect.announcesTurns, !turn.run.isInTurn else { return }
    turn.run.isInTurn = true
    emit("turn_start", from: turn.session)
  }

  func endTurn(_ turn: Turn) {
    guard turn.run.isInTurn else { return }
    turn.run.isInTurn = false
    emit("turn_end", from: turn.session)
  }
}
