// SPDX-License-Identifier: MIT

import OppiModel

/// A loaded agent; its state is lost when it stops.
final class Agent {
  /// The number of the agent within its session.
  let number: Int
  var log: EventLog
  var turns: TurnCache
  var queue = MessageQueue()
  /// The accepted turns whose run has not been announced, oldest first.
  var unannouncedTurns: [(id: String, command: String)] = []
  /// The current run, from the acceptance of its prompt.
  var run: Run?
  var question: PendingQuestion?

  /// Whether a prompt is rejected as too early; not during the pause before a retry.
  var isBusy: Bool { run.map { $0.pause == nil } ?? false }

  init(number: Int, limits: LoopbackServer.Limits) {
    self.number = number
    log = EventLog(capacity: limits.eventRing)
    turns = TurnCache(capacity: limits.rememberedTurns)
  }
}

struct PendingQuestion {
  let id: String
  let request: JSONValue
  /// Whether the question is sent to later subscribers, too.
  let isRepeated: Bool
  let answer = Promise<JSONValue>()

  /// Continues as if the user had cancelled the question.
  func cancel() {
    answer.keep(["cancelled": true])
  }
}
