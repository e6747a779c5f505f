// SPDX-License-Identifier: MIT

/// The entries of a trace as messages that were missed.
extension Turn {
  /// Takes the turn's entries in their order; those that were seen before change nothing.
  ///
  /// - Parameters:
  ///   - trace: The entries.
  ///   - goesOn: Whether the turn is not over.
  ///   - now: The moment of loading.
  /// - Returns: What has changed, and the messages that were told to the turn in its middle.
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

  /// What is known of the turn while its entries are loaded.
  private struct Loading {
    let goesOn: Bool
    let now: Timestamp
    /// The ids of the calls that have a result.
    let finishedCalls: Set<String>
    /// The calls that nobody saw run, whose times are all the server's.
    var unseenCalls: Set<String> = []
    var speech: AgentSpeech.Loading
    var steered: [String] = []
  }

  /// How many steps are so old that their calls are no longer kept.
  private func droppedSteps(in steps: [TraceTurn.Step]) -> Int {
    guard calls.droppedCount > 0 else { return 0 }
    return steps.firstIndex { step in
      guard case .call(let call, _) = step else { return false }
      return calls.all.contains { $0.wireID == call.id }
    } ?? 0
  }

  private mutating func load(_ step: TraceTurn.Step, _ loading: inout Loading) -> [ActivityChange] {
    switch step {
    case .prompt: speech.hearUser()
    case .steer(let text):
      speech.hearUser()
      loading.steered.append(text)
    case .text(let text):
      calls.loadMessage()
      guard let changes = speech.load(text, &loading.speech, goesOn: loading.goesOn) else { break }
      fate.recover()
      return changes
    case .call(let call, let time): return load(call, time, &loading)
    case .result(let result):
      // Times of two clocks would make no duration.
      let isUnseen = result.callID.map(loading.unseenCalls.contains) == true
      let changes = calls.load(result, at: isUnseen ? result.time ?? loading.now : loading.now)
      return heed(changes, endOf: result.tool)
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
