// SPDX-License-Identifier: MIT

extension Turn {
  /// Applies a message that only a working agent sends.
  mutating func apply(_ kind: ServerMessage.Kind, at now: Timestamp) -> [ActivityChange] {
    switch kind {
    case .textDelta(let delta):
      hearModel()
      return speech.add(text: delta)
    case .thinkingDelta(let delta):
      hearModel()
      return speech.add(thought: delta)
    case .messageEnd(_, let text):
      questions.goOn()
      return speech.end(text) + calls.endMessage(at: now)
    case .toolStart(let call):
      fate.recover()
      speech.goOn()
      return calls.start(call, at: now)
    case .toolUpdate(let call):
      fate.recover()
      speech.goOn()
      return calls.write(call)
    case .toolOutput(let output): return noting(calls.print(output, at: now))
    case .toolEnd(let id, let tool, let isError, let details):
      let changes = calls.end(id, tool, isError: isError, details: details, at: now)
      return noting(changes, endOf: tool)
    case .question(let question): return questions.ask(question)
    default: return []
    }
  }

  /// The model continues: nothing waits for an answer and no failure is final.
  private mutating func hearModel() {
    fate.recover()
    calls.beginMessage()
    questions.goOn()
  }

  mutating func resolve(approval id: String, as outcome: ApprovalOutcome) -> [ActivityChange] {
    noting(calls.resolve(approval: id, as: outcome))
  }

  /// Updates the turn from the changes of its calls.
  ///
  /// A request is cancelled only with its session, and the turn with both; the end of a call
  /// answers its questions.
  mutating func noting(_ changes: [ActivityChange], endOf tool: String? = nil) -> [ActivityChange] {
    if let tool, !changes.isEmpty { questions.endCall(of: tool) }
    let isCancelled = changes.contains { change in
      if case .approvalResolved(_, .cancelled) = change { true } else { false }
    }
    if isCancelled { fate.cancel() }
    return changes
  }
}

extension ServerMessage.Kind {
  /// Whether only a working agent sends this message.
  var isWork: Bool {
    switch self {
    case .messageEnd(.assistant, _), .textDelta, .thinkingDelta, .toolStart, .toolUpdate,
      .toolOutput, .toolEnd, .question:
      true
    default: false
    }
  }

  /// Whether a tool runs or has run, while the model writes nothing.
  var isOfTool: Bool {
    switch self {
    case .toolOutput(let output): !output.replaces
    case .toolEnd: true
    default: false
    }
  }
}
