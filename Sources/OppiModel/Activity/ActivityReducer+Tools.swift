// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// The most bytes of a call's arguments and of its details that are kept.
  private static let argumentLimit = 32 * 1024
  /// The most bytes of a finished call's output that are kept.
  private static let finishedOutputLimit = 8 * 1024

  // MARK: - Start

  mutating func startTool(_ call: ToolCall, at now: Timestamp) -> [ActivityChange] {
    error = nil
    loadedText = nil
    let arguments = Self.bounded(call.arguments)
    let known = index(of: call, arguments)
    let isExecution =
      switch phase {
      case .writing: false
      case .executing(let announced): known != nil || !(announced || repeatsStarts)
      }
    if phase == .writing, known != nil { repeatsStarts = true }
    if !isExecution { phase = .writing }
    let index = known ?? addCall(id: call.id, tool: call.tool)
    guard activity.toolCalls[index].isOpen else { return [] }
    nameCall(at: index, call.tool)
    activity.toolCalls[index].arguments = arguments
    guard isExecution else {
      return known == nil ? [.toolPlanned(activity.toolCalls[index])] : []
    }
    activity.toolCalls[index].lineChange = LineChange(arguments: call.arguments)
    return execute(at: index, now: now)
  }

  private mutating func execute(at index: Int, now: Timestamp) -> [ActivityChange] {
    hasAnswer = false
    if activity.toolCalls[index].state == .planned {
      activity.toolCalls[index].state = .running
      activity.toolCalls[index].startedAt = now
    }
    return announceStart(ofCallAt: index)
  }

  /// Tells that a call has started, once; one that waits for approval from the first has not.
  mutating func announceStart(ofCallAt index: Int) -> [ActivityChange] {
    let call = activity.toolCalls[index]
    guard !call.isStartTold, call.state == .running else { return [] }
    activity.toolCalls[index].isStartTold = true
    return [.toolStarted(activity.toolCalls[index])]
  }

  mutating func addCall(id: String?, tool: String) -> Int {
    callCount += 1
    let tool = tool.head(bytes: 100)
    var call = ToolCallActivity(
      id: id.map(Self.bounded) ?? "call-\(callCount)",
      tool: tool,
      arguments: .null,
      state: .planned
    )
    call.wireID = id.map(Self.bounded)
    activity.toolCalls.append(call)
    dropOldCalls()
    return activity.toolCalls.count - 1
  }

  /// Names a call that was first seen by its output.
  private mutating func nameCall(at index: Int, _ tool: String) {
    guard activity.toolCalls[index].tool.isEmpty else { return }
    activity.toolCalls[index].tool = tool.head(bytes: 100)
  }

  private mutating func dropOldCalls() {
    guard activity.toolCalls.count > TurnActivity.callLimit else { return }
    // Where all are open, which no server does, the oldest goes nevertheless.
    activity.toolCalls.remove(at: activity.toolCalls.firstIndex { !$0.isOpen } ?? 0)
    activity.droppedCallCount += 1
  }

  static func bounded(_ arguments: JSONValue) -> JSONValue {
    arguments.bounded(bytes: argumentLimit)
  }

  private static func bounded(_ id: String) -> String { id.head(bytes: 200) }

  // MARK: - Finding calls

  /// Finds the call that a start is about.
  ///
  /// Without an id it is the latest planned one of the tool.
  private mutating func index(of call: ToolCall, _ arguments: JSONValue) -> Int? {
    guard let id = call.id else {
      return activity.toolCalls.lastIndex {
        $0.wireID == nil && $0.tool == call.tool && $0.state == .planned
      }
    }
    return index(id: id) { $0.tool == call.tool && $0.arguments == arguments }
  }

  /// Finds the call that an output or an end is about.
  ///
  /// Without an id it is the latest open one, of the tool where that is named.
  private mutating func index(of id: String?, tool: String) -> Int? {
    let isCandidate = { (call: ToolCallActivity) in tool.isEmpty || call.tool == tool }
    guard let id else {
      return activity.toolCalls.lastIndex { $0.isOpen && isCandidate($0) }
    }
    return index(id: id, orAdopting: isCandidate)
  }

  /// Finds a call by its id, else gives the id to a fitting call that has none yet: one that is
  /// known from its permission request alone.
  private mutating func index(
    id: String,
    orAdopting isCandidate: (ToolCallActivity) -> Bool
  ) -> Int? {
    let id = Self.bounded(id)
    if let index = activity.toolCalls.lastIndex(where: { $0.wireID == id }) { return index }
    let orphan = activity.toolCalls.lastIndex {
      $0.wireID == nil && $0.isOpen && isCandidate($0)
    }
    if let orphan { activity.toolCalls[orphan].wireID = id }
    return orphan
  }

  // MARK: - Output

  mutating func addOutput(_ output: ToolOutput, at now: Timestamp) -> [ActivityChange] {
    let index = index(of: output.callID, tool: "") ?? addCall(id: output.callID, tool: "")
    guard activity.toolCalls[index].isOpen else { return [] }
    // While the arguments are written, they are shown as if they were output.
    let isEnd = output.isTruncated || output.totalBytes != nil
    if output.replaces, !isEnd, activity.toolCalls[index].state == .planned { return [] }
    var changes = permit(callAt: index, unlessRefusedBy: output.text)
    changes += execute(at: index, now: now)
    if output.text.isEncodedMedia {
      activity.toolCalls[index].imageCount += 1
      return changes
    }
    if output.replaces {
      activity.toolCalls[index].output.replace(with: output.text, totalBytes: output.totalBytes)
    } else {
      activity.toolCalls[index].output.append(output.text)
    }
    // A refusal is the server's word and not the tool's.
    let isPrinted = activity.toolCalls[index].state == .running
    guard isPrinted, output.replaces || !output.text.isEmpty else { return changes }
    let id = activity.toolCalls[index].id
    return changes + [.toolOutput(callID: id, text: output.text, replaces: output.replaces)]
  }

  // MARK: - End

  mutating func endTool(
    _ id: String?,
    _ tool: String,
    isError: Bool,
    details: JSONValue,
    at now: Timestamp
  ) -> [ActivityChange] {
    let index = index(of: id, tool: tool) ?? addCall(id: id, tool: tool)
    guard activity.toolCalls[index].isOpen else { return [] }
    nameCall(at: index, tool)
    if tool == "ask" { activity.questions.removeAll { $0.method == "ask" } }
    hasAnswer = false
    var changes = settleApproval(ofCallAt: index, isError: isError)
    let state = finalState(ofCallAt: index, isError: isError)
    // What has run had a start, seen or not.
    if state == .succeeded || state == .failed { changes += execute(at: index, now: now) }
    activity.toolCalls[index].state = state
    return changes + close(callAt: index, details: details, now: now)
  }

  private func finalState(ofCallAt index: Int, isError: Bool) -> ToolCallState {
    let call = activity.toolCalls[index]
    guard isError else { return .succeeded }
    let output = call.output.text
    if case .rejected(let reason) = call.state {
      return .rejected(reason: output.isEmpty ? reason : output)
    }
    // What the policy forbids is answered with the label of the rule.
    let isRefusal = ApprovalOutcome(refusal: output) != nil || output.isRuleLabel
    return isRefusal ? .rejected(reason: output) : .failed
  }

  private mutating func close(
    callAt index: Int,
    details: JSONValue,
    now: Timestamp
  ) -> [ActivityChange] {
    let truncation = details["truncation"]
    activity.toolCalls[index].output.complete(
      totalBytes: truncation["totalBytes"].int,
      totalLines: truncation["totalLines"].int
    )
    activity.toolCalls[index].output.shrink(to: Self.finishedOutputLimit)
    activity.toolCalls[index].details = Self.bounded(details)
    if let difference = details["diff"].string {
      activity.toolCalls[index].lineChange = LineChange(difference: difference)
    }
    activity.toolCalls[index].endedAt = now
    return [.toolFinished(activity.toolCalls[index])]
  }

  /// Ends a call whose turn is over.
  mutating func abandonCall(at index: Int, now: Timestamp) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    if let request = activity.toolCalls[index].pendingApproval {
      changes = resolve(approval: request.id, as: .cancelled)
    }
    switch activity.toolCalls[index].state {
    case .planned: activity.toolCalls[index].state = .rejected(reason: "The turn ended")
    case .running: activity.toolCalls[index].state = .failed
    case .waitingApproval, .rejected, .succeeded, .failed: break
    }
    return changes + close(callAt: index, details: .null, now: now)
  }
}

extension StringProtocol {
  /// Whether the text is a picture or a sound in the form of a `data:` URI (RFC 2397).
  var isEncodedMedia: Bool {
    guard hasPrefix("data:image/") || hasPrefix("data:audio/") else { return false }
    return utf8.prefix(100).contains(UInt8(ascii: ","))
  }
}

extension String {
  /// Whether the text may be the label of a rule that forbids, such as `Block sudo`.
  fileprivate var isRuleLabel: Bool {
    hasPrefix("Block ") && utf8.count < 200 && !utf8.contains(UInt8(ascii: "\n"))
  }
}
