// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// Takes the session's trace as the truth, where messages were missed that cannot be had again.
  ///
  /// The trace has what was written when messages ended: of the running one it knows nothing. A
  /// turn that nobody has seen and that is over stays unseen.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with them.
  ///   - now: The moment of loading.
  /// - Returns: What has changed since the last message.
  package mutating func load(
    trace: JSONValue,
    session: Session,
    at now: Timestamp
  ) -> [ActivityChange] {
    needsTrace = false
    lastSequence = max(lastSequence, connectedSequence)
    let isBusy = session.status == .busy || session.status == .stopping
    guard run != .none || isBusy else { return [] }
    var changes = run == .none ? startTurn(at: now) : []
    run = .active
    let entries = trace.array ?? []
    let turn = entries[(entries.lastIndex { $0["type"] == "user" } ?? entries.startIndex)...]
    changes += load(callsOf: turn, at: now)
    for entry in entries where entry["type"] == "toolResult" {
      changes += load(result: entry, at: now)
    }
    changes += load(textOf: turn, isBusy: isBusy)
    return isBusy ? changes : changes + finish(outcome(of: session), at: now)
  }

  private mutating func load(
    callsOf turn: ArraySlice<JSONValue>,
    at now: Timestamp
  ) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    for entry in turn where entry["type"] == "toolCall" {
      // A call in the trace belongs to a complete message.
      phase = .executing(announced: false)
      let tool = entry["tool"].string ?? ""
      let call = ToolCall(id: entry["id"].string, tool: tool, arguments: entry["args"])
      changes += startTool(call, at: now)
    }
    phase = .executing(announced: true)
    return changes
  }

  private mutating func load(result entry: JSONValue, at now: Timestamp) -> [ActivityChange] {
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
    let whole = ToolOutput(
      callID: id,
      text: output,
      replaces: true,
      isError: false,
      isTruncated: false,
      totalBytes: nil
    )
    let isNews = output != activity.toolCalls[index].output.text
    let changes = isNews ? addOutput(whole, at: now) : []
    return changes
      + endTool(
        id,
        entry["toolName"].string ?? "",
        isError: entry["isError"].bool ?? false,
        details: entry["details"],
        at: now
      )
  }

  private mutating func load(
    textOf turn: ArraySlice<JSONValue>,
    isBusy: Bool
  ) -> [ActivityChange] {
    guard let end = turn.lastIndex(where: { $0["type"] == "assistant" }) else {
      hasAnswer = false
      return []
    }
    // A message may be listed in pieces.
    let pieces = turn[...end].reversed().prefix { $0["type"] == "assistant" }
    let text = pieces.reversed().compactMap { $0["text"].string }.joined()
      .head(bytes: TurnActivity.textLimit)
    hasAnswer =
      !text.allSatisfy(\.isWhitespace)
      && !turn[end...].contains { $0["type"] == "toolCall" || $0["type"] == "toolResult" }
    // The trace does not have the message that is being written.
    guard text != activity.text, !(isBusy && activity.isWriting) else { return [] }
    error = nil
    loadedText = text
    return complete(text)
  }

  /// What a turn came to whose end nobody saw.
  private func outcome(of session: Session) -> TurnOutcome {
    let isCut = session.status == .stopped && !hasAnswer && error == nil
    return isCut && activity.status != .stopping ? .ended(reason: "stopped") : ownOutcome
  }
}
