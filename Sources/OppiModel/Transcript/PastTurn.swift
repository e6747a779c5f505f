// SPDX-License-Identifier: MIT

/// One turn of a conversation, as recorded.
package struct PastTurn: Sendable {
  package enum Step: Sendable {
    /// A whole message of the agent; the last one is the answer if the turn succeeded.
    case text(String)
    /// A message sent to the running turn.
    case steer(String)
    case call(PastCall)
  }

  /// The position in the conversation, counted from 1.
  package let number: Int
  /// The whole prompt without images; `nil` if unknown.
  package let prompt: String?
  package let imageCount: Int
  package let steps: [Step]
  /// The turn's activity: its outcome, and what it waits for while it is running.
  package var activity: TurnActivity
  /// The time of the first entry; `nil` if unknown.
  package let startedAt: Timestamp?
  package let endedAt: Timestamp?

  package var calls: [PastCall] {
    steps.compactMap { step in
      guard case .call(let call) = step else { return nil }
      return call
    }
  }

  /// The amount of text to lay out, roughly in bytes of UTF-8.
  package var size: Int {
    steps.reduce(prompt?.utf8.count ?? 0) { size, step in
      switch step {
      case .text(let text), .steer(let text): size + text.utf8.count
      case .call: size + 1000
      }
    }
  }

  /// The agent's final message; `nil` unless the turn succeeded.
  package var answer: String? {
    guard case .succeeded(let answer) = activity.outcome else { return nil }
    return answer
  }

  /// `nil` if unknown, or if the turn is not over.
  package var duration: Duration? {
    guard activity.isFinished, let startedAt, let endedAt else { return nil }
    return .milliseconds(max(0, endedAt.milliseconds - startedAt.milliseconds))
  }
}

package struct PastCall: Sendable {
  /// The position among all calls of the conversation, counted from 1.
  package let number: Int
  /// The call's state, with only the end of its output.
  package let activity: ToolCallActivity
  /// The whole output, as far as the server has kept it; `nil` without a result.
  package var output: String?

  package var wireID: String? { activity.wireID }
}

extension PastTurn {
  init(
    number: Int,
    _ trace: TraceTurn?,
    _ activity: TurnActivity,
    prompt: String?,
    callsBefore: Int,
    at now: Timestamp
  ) {
    self.number = number
    let asked = trace?.wholePrompt ?? prompt
    self.prompt = asked?.withoutMedia.text
    imageCount = asked?.withoutMedia.imageCount ?? 0
    self.activity = activity
    startedAt = trace?.startedAt
    endedAt = trace?.endedAt
    var calls = TracedCalls(trace?.steps ?? [], activity, count: callsBefore, at: now)
    steps = (trace?.steps ?? []).compactMap { step in
      switch step {
      case .prompt, .result: nil
      case .steer(let text): .steer(text.withoutMedia.text)
      case .text(let text): text.isEmpty ? nil : .text(text)
      case .call(let call, let time): .call(calls.next(call, at: time))
      }
    }
  }
}

extension TraceTurn {
  fileprivate var wholePrompt: String? {
    guard let first = entries.first, first["type"] == "user" else { return nil }
    return first["text"].text(.content)
  }

  var callCount: Int { entries.count { $0["type"] == "toolCall" } }
}

/// The calls of a turn with their results, in order.
private struct TracedCalls {
  /// By call id, the latest first.
  private var results: [String: [TraceTurn.Result]] = [:]
  /// The calls of a running turn by id.
  private var live: [String: ToolCallActivity] = [:]
  private let turn: TurnActivity
  private var isOver: Bool { turn.isFinished }
  private var count: Int
  private let now: Timestamp

  init(_ steps: [TraceTurn.Step], _ activity: TurnActivity, count: Int, at now: Timestamp) {
    turn = activity
    self.count = count
    self.now = now
    for case .result(let result) in steps.reversed() {
      if let id = result.callID { results[id, default: []].append(result) }
    }
    guard !isOver else { return }
    for call in activity.toolCalls { if let id = call.wireID { live[id] = call } }
  }

  mutating func next(_ call: ToolCall, at time: Timestamp?) -> PastCall {
    count += 1
    let result = call.id.flatMap { results[$0]?.popLast() }
    let isRunning = result == nil && !isOver
    if isRunning, let id = call.id, let known = live[id] {
      return PastCall(number: count, activity: turn.shown(known), output: nil)
    }
    // Apply the rules for calls to this call alone.
    var calls = ToolCalls()
    _ = calls.load(call, at: time ?? now)
    if let result { _ = calls.load(result, at: result.time ?? now) }
    if result == nil, isOver { _ = calls.abandon(at: time ?? now, isEndKnown: true) }
    var activity = calls.all[0]
    // Without both times, the duration is unknown.
    if time == nil || result?.time == nil { activity.startedAt = nil }
    return PastCall(number: count, activity: turn.shown(activity), output: result?.output)
  }
}
