// SPDX-License-Identifier: MIT

extension ToolCallActivity {
  /// The number of bytes of a finished call's output that are kept.
  private static let finishedOutputLimit = 8 * 1024

  /// Sets the tool name of a call that was first seen by its output.
  mutating func name(_ tool: String) {
    if self.tool.isEmpty { self.tool = tool.head(bytes: 100) }
  }

  /// Starts a planned call and reports the start once; a call that waits for approval keeps
  /// waiting.
  mutating func run(at now: Timestamp) -> [ActivityChange] {
    if state == .planned {
      state = .running
      startedAt = now
    }
    return announceStart()
  }

  private mutating func announceStart() -> [ActivityChange] {
    guard !isStartTold, state == .running else { return [] }
    isStartTold = true
    return [.toolStarted(self)]
  }

  // MARK: - Approvals

  mutating func wait(for request: PermissionRequest, at now: Timestamp) -> [ActivityChange] {
    arguments = request.input
    state = .waitingApproval(request)
    startedAt = startedAt ?? now
    return [.approvalRequested(request, callID: id)]
  }

  mutating func resolve(as outcome: ApprovalOutcome) -> [ActivityChange] {
    guard let request = pendingApproval else { return [] }
    state = outcome.refusal.map(ToolCallState.rejected(reason:)) ?? .running
    return [.approvalResolved(id: request.id, outcome: outcome)] + announceStart()
  }

  // MARK: - Output

  /// Whether the output is a preview: servers show arguments as output while they are written.
  func isPreview(_ output: ToolOutput) -> Bool {
    let isEnd = output.isTruncated || output.totalBytes != nil
    return output.replaces && !isEnd && state == .planned
  }

  /// Adds output of the tool, or the server's refusal.
  mutating func take(_ output: ToolOutput) -> [ActivityChange] {
    if output.text.isEncodedMedia {
      imageCount += 1
      return []
    }
    if output.replaces {
      self.output.replace(with: output.text, totalBytes: output.totalBytes)
    } else {
      self.output.append(output.text)
    }
    // A refusal comes from the server, not from the tool.
    guard state == .running, output.replaces || !output.text.isEmpty else { return [] }
    return [.toolOutput(callID: id, text: output.text, replaces: output.replaces)]
  }

  // MARK: - End

  mutating func end(isError: Bool, details: JSONValue, at now: Timestamp) -> [ActivityChange] {
    let final = finalState(isError: isError)
    // A call that ran must have started, whether the start was seen or not.
    let start = final == .succeeded || final == .failed ? run(at: now) : []
    state = final
    return start + close(details: details, at: now)
  }

  private func finalState(isError: Bool) -> ToolCallState {
    guard isError else { return .succeeded }
    let output = output.text
    if case .rejected(let reason) = state {
      return .rejected(reason: output.isEmpty ? reason : output)
    }
    // A call blocked by the policy returns the label of the rule.
    let isRefusal = ApprovalOutcome(refusal: output) != nil || output.isRuleLabel
    return isRefusal ? .rejected(reason: output) : .failed
  }

  /// Ends a call whose turn is over without a reported end; a server's rejection stays.
  mutating func abandon(at now: Timestamp, isRefused: Bool) -> [ActivityChange] {
    switch state {
    case .rejected where isRefused: break
    case .succeeded, .failed: break
    case .planned, .running, .waiting, .waitingApproval, .rejected, .unfinished: state = .unfinished
    }
    return close(details: .null, at: now)
  }

  private mutating func close(details: JSONValue, at now: Timestamp) -> [ActivityChange] {
    let truncation = details["truncation"]
    output.complete(
      totalBytes: truncation["totalBytes"].int,
      totalLines: truncation["totalLines"].int
    )
    output.shrink(to: Self.finishedOutputLimit)
    self.details = ToolCalls.bounded(details)
    if let difference = details["diff"].text(.content) {
      lineChange = LineChange(difference: difference)
    }
    endedAt = now
    return [.toolFinished(self)]
  }
}

extension StringProtocol {
  /// Whether the text is an image or a sound as a `data:` URI (RFC 2397).
  var isEncodedMedia: Bool {
    guard hasPrefix("data:image/") || hasPrefix("data:audio/") else { return false }
    return utf8.prefix(100).contains(UInt8(ascii: ","))
  }
}

extension String {
  /// The text without lines that are images or sounds, and the number of those lines.
  var withoutMedia: (text: String, imageCount: Int) {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.filter { !$0.isEncodedMedia }
    return (text.joined(separator: "\n"), lines.count - text.count)
  }

  /// Whether the text may be the label of a blocking rule, such as `Block sudo`.
  fileprivate var isRuleLabel: Bool {
    hasPrefix("Block ") && utf8.count < 200 && !utf8.contains(UInt8(ascii: "\n"))
  }
}
