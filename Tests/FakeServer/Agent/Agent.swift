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
  /// The pending dialogs, oldest first.
  var questions: [PendingQuestion] = []
  /// The notifications that stay visible, which later viewers get, too.
  var lastingNotifications: [JSONObject] = []
  /// Changes with every start of an agent.
  let epoch: String

  /// Whether a prompt is rejected as too early; not during the pause before a retry.
  var isBusy: Bool { run.map { $0.pause == nil && !$0.isSettling } ?? false }

  init(number: Int, epoch: String, limits: FakeServer.Limits) {
    self.epoch = epoch
    self.number = number
    log = EventLog(capacity: limits.eventRing)
    turns = TurnCache(capacity: limits.rememberedTurns)
  }
}

struct PendingQuestion {
  static let cancellation: JSONValue = ["cancelled": true]

  let id: String
  let request: JSONValue
  /// Whether the question is sent to later subscribers, too.
  let isRepeated: Bool
  let answer = Promise<JSONValue>()

  /// The form for the REST list; `nil` for a dialog that is not in the list.
  var entry: JSONValue? {
    let isListed =
      switch request["method"].string {
      case "ask": request["questions"].array?.isEmpty == false
      case "select": request["options"].array?.isEmpty == false
      case "confirm", "input": true
      default: false
      }
    guard isListed else { return nil }
    let hidden: Set<String> = ["type", "sessionId"]
    return .object(JSONObject((request.object ?? [:]).filter { !hidden.contains($0.key) }))
  }
}
