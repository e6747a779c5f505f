// SPDX-License-Identifier: MIT

/// The entries of a trace as messages that were missed.
extension ActivityReducer {
  /// What is known of a turn while its entries are loaded.
  private struct Loading {
    let now: Timestamp
    let goesOn: Bool
    /// The ids of the calls that have a result.
    let finishedCalls: Set<String>
    /// The calls that nobody saw run, whose times are all the server's.
    var unseenCalls: Set<String> = []
    /// The messages that were told before and have not been met in the trace.
    var toldTexts: ArraySlice<Int>
    /// The latest message that was news.
    var newestText: String?
  }

  /// Takes a turn's entries in their order; those that were seen before change nothing.
  mutating func load(
    _ turn: TraceTurn,
    goesOn: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    let isBetweenMessages =
      !activity.isWriting && !activity.toolCalls.contains { $0.state == .planned }
    let before = phase
    let steps = turn.steps
    var loading = Loading(
      now: now,
      goesOn: goesOn,
      finishedCalls: turn.finishedCalls,
      toldTexts: toldTexts[...]
    )
    var changes: [ActivityChange] = []
    for step in steps.dropFirst(droppedSteps(in: steps)) { changes += load(step, &loading) }
    phase = isBetweenMessages || !goesOn ? .executing(announced: true) : before
    loadedText = loading.newestText
    return changes
  }

  /// How many steps are so old that their calls are no longer kept.
  private func droppedSteps(in steps: [TraceTurn.Step]) -> Int {
    guard activity.droppedCallCount > 0 else { return 0 }
    return steps.firstIndex { step in
      guard case .call(let entry) = step else { return false }
      return activity.toolCalls.contains { $0.wireID == entry["id"].string }
    } ?? 0
  }

  private mutating func load(
    _ step: TraceTurn.Step,
    _ loading: inout Loading
  ) -> [ActivityChange] {
    switch step {
    case .prompt: hasAnswer = false
    case .steer(let text):
      hasAnswer = false
      _ = takeFromQueue(text: text)
    case .text(let text): return load(text: text, &loading)
    case .call(let entry): return load(call: entry, &loading)
    case .result(let entry): return load(result: entry, &loading)
    }
    return []
  }

  private mutating func load(text: String, _ loading: inout Loading) -> [ActivityChange] {
    let text = text.head(bytes: TurnActivity.textLimit)
    hasAnswer = !text.allSatisfy(\.isWhitespace)
    if let index = loading.toldTexts.firstIndex(of: text.hashValue) {
      loading.toldTexts = loading.toldTexts[(index + 1)...]
      return []
    }
    // The trace does not have the message that is being written.
    if loading.goesOn, activity.isWriting, !text.hasPrefix(activity.text) { return [] }
    error = nil
    loading.newestText = text
    return complete(text)
  }

  private mutating func load(call entry: JSONValue, _ loading: inout Loading) -> [ActivityChange] {
    // A call in the trace belongs to a complete message.
    phase = .executing(announced: false)
    let id = entry["id"].string
    let count = callCount
    let start = id.map(loading.finishedCalls.contains) == true ? TraceTurn.time(of: entry) : nil
    let call = ToolCall(id: id, tool: entry["tool"].string ?? "", arguments: entry["args"])
    let changes = startTool(call, at: start ?? loading.now)
    if let id, start != nil, callCount > count { loading.unseenCalls.insert(id) }
    return changes
  }

  private mutating func load(
    result entry: JSONValue,
    _ loading: inout Loading
  ) -> [ActivityChange] {
    guard let id = entry["toolCallId"].string,
      let index = activity.toolCalls.lastIndex(where: { $0.wireID == id && $0.isOpen })
    else { return [] }
    // Pictures stand among the lines of the output.
    let lines = (entry["output"].string ?? "").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    let output = lines.filter { !$0.isEncodedMedia }.joined(separator: "\n")
    activity.toolCalls[index].imageCount = lines.count(where: \.isEncodedMedia)
    // Times of two clocks would make no duration.
    let time = loading.unseenCalls.contains(id) ? TraceTurn.time(of: entry) : nil
    let end = time ?? loading.now
    let isNews = output != activity.toolCalls[index].output.text
    let changes = isNews ? addOutput(ToolOutput(callID: id, replacing: output), at: end) : []
    return changes
      + endTool(
        id,
        entry["toolName"].string ?? "",
        isError: entry["isError"].bool ?? false,
        details: entry["details"],
        at: end
      )
  }
}

extension ToolOutput {
  /// The whole of an output, in place of what was seen of it.
  fileprivate init(callID: String, replacing text: String) {
    self.init(
      callID: callID,
      text: text,
      replaces: true,
      isError: false,
      isTruncated: false,
      totalBytes: nil
    )
  }
}
