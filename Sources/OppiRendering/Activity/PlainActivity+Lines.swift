// SPDX-License-Identifier: MIT

package import OppiModel

extension PlainActivity {
  /// Returns a change as one line of text, safe to show.
  ///
  /// `nil` for changes that arrive in pieces, and for those that need no line.
  package static func line(for change: ActivityChange) -> String? {
    switch change {
    case .turnStarted: "turn started"
    case .approvalRequested(let request, _): line(for: request)
    case .approvalResolved(let id, let outcome): "approval \(id.safeLine()): \(outcome.rawValue)"
    case .toolStarted(let call): "called: \(ToolRenderers.title(of: call))"
    case .toolFinished(let call): line(for: call)
    case .question(let question): line(for: question)
    case .questionSettled(let id):
      "question \(id.safeLine(limit: 40)): \(QuestionText.settled)"
    case .statusChanged(let key, let text):
      "status: \(key.safeLine()): \(text?.safeLine() ?? "cleared")"
    case .notice(let text): "notice: \(text.safeLine())"
    case .child(let child):
      "agent \(child.name?.safeLine() ?? child.id): \(StatusMark(child.status).word)"
    case .queueDropped(let messages):
      "removed from the queue: \(messages.map { $0.text.safeLine() }.sentence())"
    case .queueLost(let messages):
      "lost from the queue, may have run: "
        + messages.map { $0.text.safeLine() }.sentence()
    case .turnFinished(let outcome, _): line(for: outcome)
    case .sessionEnded(let reason): "session ended" + (reason.map { ": \($0.safeLine())" } ?? "")
    case .thinking, .toolPlanned, .toolOutput, .text, .textReplaced, .textFinished: nil
    }
  }

  private static func line(for request: PermissionRequest) -> String {
    let facts = [
      "needs approval: \(request.tool.safeLine(limit: 40))",
      request.reason.map { "reason: \($0.safeLine())" },
      request.timeoutAt.map { "until \($0.iso8601)" },
      "request \(request.id)",
    ]
    return facts.compactMap(\.self).sentence()
  }

  private static func line(for call: ToolCallActivity) -> String {
    var line = "\(StatusMark(call.state).word): \(ToolRenderers.title(of: call))"
    if case .rejected(let reason) = call.state, !reason.isEmpty {
      line += ": \(reason.head(bytes: 1024).safeLine())"
    }
    if let duration = call.duration { line += ", \(ElapsedTime.text(duration))" }
    if call.output.isTruncated { line += ", \(call.output.totalBytes) bytes of output" }
    if call.imageCount > 0 { line += ", images: \(call.imageCount)" }
    return line
  }

  private static func line(for question: UserQuestion) -> String {
    let items = QuestionText.items(of: question).map { item in
      let hint = item.placeholder.map { ["e.g. \($0)"] } ?? []
      let notes = item.options + hint
      return notes.isEmpty ? item.question : "\(item.question) (\(notes.joined(separator: ", ")))"
    }
    return "question: \(items.sentence())"
  }

  private static func line(for outcome: TurnOutcome) -> String {
    switch outcome {
    case .succeeded: "turn finished"
    case .empty: "turn finished without an answer"
    case .failed(let reason): "turn failed: \(reason.safeLine())"
    case .stopped(let reason): "turn stopped" + (reason.map { ": \($0.safeLine())" } ?? "")
    case .dropped: "turn removed from the queue before it started"
    case .unknown(let reason):
      "turn ended, outcome unknown" + (reason.map { ": \($0.safeLine())" } ?? "")
    }
  }
}
