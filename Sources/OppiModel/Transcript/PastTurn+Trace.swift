// SPDX-License-Identifier: MIT

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
