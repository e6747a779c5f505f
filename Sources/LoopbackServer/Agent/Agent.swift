// SPDX-License-Identifier: MIT

import OppiModel

/// A loaded agent: what is forgotten when it stops.
final class Agent {
  /// Counts the agents of a session.
  let number: Int
  var log: EventLog
  var turns: TurnCache
  var queue = MessageQueue()
  /// The accepted turns that no run was announced for, oldest first.
  var unannouncedTurns: [(id: String, command: String)] = []
  /// The run under way, from the moment its prompt was taken.
  var run: Run?
  /// The question that the run waits for.
  var question: PendingQuestion?

  /// Whether a prompt comes too early; the pause before another attempt does not show.
  var isBusy: Bool { run.map { $0.pause == nil } ?? false }

  init(number: Int, limits: LoopbackServer.Limits) {
    self.number = number
    log = EventLog(capacity: limits.eventRing)
    turns = TurnCache(capacity: limits.rememberedTurns)
  }
}

/// A question of the agent to its user.
struct PendingQuestion {
  let id: String
  /// The message with the question.
  let request: JSONValue
  /// Whether those who come later are asked, too.
  let isRepeated: Bool
  /// The client's message with the answer.
  let answer = Promise<JSONValue>()

  /// Goes on as if the user did not want to answer.
  func cancel() {
    answer.keep(["cancelled": true])
  }
}
