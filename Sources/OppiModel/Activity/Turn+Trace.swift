// SPDX-License-Identifier: MIT

/// Loads trace entries as missed messages.
extension Turn {
  /// Applies the turn's entries in order; entries seen before change nothing.
  ///
  /// `goesOn` is true if the turn is still running. Returns the changes and the messages that were
  /// sent to the running turn.
  mutating func load(
    _ trace: TraceTurn,
    goesOn: Bool,
    at now: Timestamp
  ) -> (changes: [ActivityChange], steered: [String]) {
    let isBetweenMessages = !speech.isWriting && !calls.hasPlanned
    let phase = calls.phase
    let steps = trace.steps
    var loading = Loading(
      goesOn: goesOn,
      now: now,
      finishedCalls: trace.finishedCalls,
      speech: speech.beginLoading()
    )
    var changes: [ActivityChange] = []
    for step in steps.dropFirst(droppedSteps(in: steps)) { changes += load(step, &loading) }
    calls.endLoading(in: isBetweenMessages || !goesOn ? .executing(announced: true) : phase)
    speech.endLoading(loading.speech)
    return (changes, loading.steered)
  }

  private struct Loading {
    let goesOn: Bool
    let now: Timestamp
    let finishedCalls: Set<String>
    /// Calls that were not seen live, so that all their times come from the server.
    var unseenCalls: Set<String> = []
    var speech: AgentSpeech.Loading
    var steered: [String] = []
  }

  /// The number of leading steps whose calls are no longer kept.
  private func droppedSteps(in steps: [TraceTurn.Step]) -> Int {
    guard calls.droppedCount > 0 else { return 0 }
    return steps.firstIndex { step in
      guard case .call(let call, _) = step else { return false }
      return calls.all.contains { $0.wireID == call.id }
    } ?? 0
  }

  private mutating func load(_ step: TraceTurn.Step, _ loading: inout Loading) -> [ActivityChange] {
    switch step {
    case .prompt: speech.loadUser()
    case .steer(let text):
      speech.loadUser()
      loading.steered.append(text)
    case .text(let text):
      calls.loadMessage()
      guard let changes = speech.load(text, &loading.speech, goesOn: loading.goesOn) else { break }
      fate.recover()
      return changes
    case .call(let call, let time): return load(call, time, &loading)
    case .result(let result):
      // A duration needs both times from one clock.
      let isUnseen = result.callID.map(loading.unseenCalls.contains) == true
      let changes = calls.load(result, at: isUnseen ? result.time ?? loading.now : loading.now)
      return noting(changes, endOf: result.tool)
    }
    return []
  }

  private mutating func load(
    _ call: ToolCall,
    _ time: Timestamp?,
    _ loading: inout Loading
  ) -> [ActivityChange] {
    let isFinished = call.id.map(loading.finishedCalls.contains) == true
    let start = isFinished ? time : nil
    let count = calls.count
    fate.recover()
    let changes = calls.load(call, at: start ?? loading.now)
    if let id = call.id, start != nil, calls.count > count { loading.unseenCalls.insert(id) }
    return changes
  }
}
