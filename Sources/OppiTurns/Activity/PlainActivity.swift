// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiTerminal
package import OppiText
import OppiWire

/// A turn as lines of text that are printed once, for screen readers, logs and pipes.
///
/// Text that arrives in pieces is buffered until a line is complete.
package struct PlainActivity: Sendable {
  /// The maximum number of lines printed of one call's output.
  private static let outputLimit = 20
  /// The maximum length of a line in bytes; a longer one is printed in pieces.
  private static let lineLimit = 4096

  /// How lines begin.
  package enum Labels: Sendable {
    /// For files and pipes: what happened, as the server names it.
    case logged
    /// For listeners: who speaks. Thinking is left out, as on the screen.
    case spoken
  }

  private enum Stream: Equatable {
    case thinking
    case answer
    case output(callID: String)
  }

  private var stream = Stream.answer
  private var gathered = ""
  /// The answer for listeners, whose tables are held until their heads are complete.
  private var spoken = SpokenLines()
  /// Whether a line of the current answer has been printed.
  private var hasPrintedAnswer = false
  /// The number of printed output lines, by call.
  private var outputLines: [String: Int] = [:]

  let labels: Labels

  package init(_ labels: Labels = .logged) { self.labels = labels }

  /// Processes a change and returns the lines that it completes, safe to show.
  ///
  /// Changes from the trace (`isPast`) are marked as earlier. The end of a turn is news even then.
  package mutating func lines(for change: ActivityChange, isPast: Bool = false) -> [String] {
    guard isPast, !change.isNewsEvenLate else { return lines(forNews: change) }
    var past = PlainActivity(labels)
    let lines = past.lines(forNews: change) + past.flush()
    return flush() + lines.map { $0.isEmpty ? "" : "earlier: \($0)" }
  }

  private mutating func lines(forNews change: ActivityChange) -> [String] {
    switch change {
    case .thinking where labels == .spoken: return []
    case .thinking(let delta): return gather(delta, .thinking)
    case .text(let delta): return gather(delta, .answer)
    case .textReplaced(let text):
      if stream == .answer { (gathered, spoken) = ("", SpokenLines()) }
      let label = labels == .spoken ? SpokenLabel.agent.rawValue : "answer"
      let note = hasPrintedAnswer ? ["\(label), corrected:"] : []
      return note + gather(text, .answer)
    case .textFinished:
      // Code whose fence is missing ends with its message.
      defer { (hasPrintedAnswer, spoken) = (false, SpokenLines()) }
      return flush()
    case .toolOutput(_, _, replaces: true): return []
    case .toolOutput(let id, let text, replaces: false): return gather(text, .output(callID: id))
    case .toolFinished(let call):
      let rest = flush()
      outputLines[call.id] = nil
      return rest + line(for: change)
    case .approvalRequested(let request, _) where labels == .spoken:
      return flush() + SpokenRequest.lines(of: request, width: .max).map(\.plain)
        + SpokenRequest.end(of: request)
    case .approvalRequested(let request, _):
      // Printed line by line: joined, the lines would form another command.
      return flush() + line(for: change)
        + RequestText.body(of: request).map { "proposed: \($0.plain)" }
        + RequestText.warnings(of: .permission(request)).map { "warning: \($0)" }
    default: return flush() + line(for: change)
    }
  }

  private func line(for change: ActivityChange) -> [String] {
    guard let line = Self.line(for: change) else { return [] }
    switch change {
    case .toolStarted(let call) where labels == .spoken:
      return [SpokenLabel.tool.line("started: \(CallFacts(call).title)")]
    case .toolFinished where labels == .spoken: return [SpokenLabel.tool.line(line)]
    case .question(let question) where labels == .spoken: return [Self.spokenLine(for: question)]
    case .approvalResolved(let id, let outcome) where labels == .spoken:
      return [SpokenLabel.approval.line("\(outcome.word): request \(id.safeLine())")]
    default: return [line]
    }
  }

  /// Returns the buffered text, which is not yet a complete line.
  package mutating func flush() -> [String] {
    defer { gathered = "" }
    return (gathered.isEmpty ? [] : print(gathered)) + spoken.finish().map(SpokenLabel.agent.line)
  }

  private mutating func gather(_ piece: String, _ stream: Stream) -> [String] {
    var lines = self.stream == stream ? [] : flush()
    self.stream = stream
    var rest = piece.utf8[...]
    while !isFull {
      if gathered.isEmpty {
        let start = rest.startIndex
        rest = rest.withoutBlankLines
        if rest.startIndex > start, stream == .answer { lines += say("") }
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
        gathered += Substring(rest)
        if gathered.utf8.count > Self.lineLimit { lines += flush() }
        return lines
      }
      lines += print(gathered + Substring(rest[..<end]))
      gathered = ""
      rest = rest[rest.index(after: end)...]
    }
    return lines
  }

  /// Whether further text of the stream would not be printed.
  private var isFull: Bool {
    guard case .output(let id) = stream else { return false }
    return outputLines[id, default: 0] > Self.outputLimit
  }

  private mutating func print(_ line: String) -> [String] {
    let line = TextBlock.safe(line: line.head(bytes: Self.lineLimit))
    guard !line.allSatisfy(\.isWhitespace) else { return [] }
    switch stream {
    case .thinking: return ["thinking: \(line)"]
    case .answer:
      hasPrintedAnswer = true
      return say(line)
    case .output(let id):
      let count = outputLines[id, default: 0] + 1
      outputLines[id] = count
      if count == Self.outputLimit + 1 { return ["output: truncated"] }
      return count > Self.outputLimit ? [] : ["output: \(line)"]
    }
  }
}

extension PlainActivity {
  /// A line of the answer with its label; an empty line ends a table.
  private mutating func say(_ line: String) -> [String] {
    switch labels {
    case .logged: line.isEmpty ? [] : ["answer: \(line)"]
    case .spoken: spoken.take(line).map(SpokenLabel.agent.line)
    }
  }
}

extension Substring.UTF8View {
  fileprivate var withoutBlankLines: Self {
    var start = startIndex
    var index = startIndex
    while index < endIndex {
      switch self[index] {
      case UInt8(ascii: "\n"): start = self.index(after: index)
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return self[start...]
      }
      formIndex(after: &index)
    }
    return self[start...]
  }
}

extension PlainActivity {
  /// Returns a change as one line of text, safe to show.
  ///
  /// `nil` for changes that arrive in pieces, and for those that need no line.
  package static func line(for change: ActivityChange) -> String? {
    switch change {
    case .turnStarted: "turn started"
    case .approvalRequested(let request, _): line(for: request)
    case .approvalResolved(let id, let outcome): "approval \(id.safeLine()): \(outcome.word)"
    case .toolStarted(let call): "called: \(CallFacts(call).title)"
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
      "\(RequestNeed.approval.state): \(request.tool.safeLine(limit: 40))",
      request.reason.map { "reason: \($0.safeLine())" },
      end(of: .permission(request)),
      "request \(request.id)",
    ]
    return facts.compactMap(\.self).sentence()
  }

  private static func end(of request: HumanRequest) -> String? {
    request.timeoutAt.map { "until \($0.iso8601)" }
  }

  private static func line(for call: ToolCallActivity) -> String {
    let facts = CallFacts(call)
    var line = "\(facts.mark.word): \(facts.title)"
    if let reason = facts.rejection { line += ": \(reason)" }
    if let duration = facts.duration { line += ", \(duration)" }
    if call.output.isTruncated { line += ", \(call.output.totalBytes) bytes of output" }
    if call.imageCount > 0 { line += ", images: \(call.imageCount)" }
    return line
  }

  /// A question in one line for a listener, with the label of what it needs.
  static func spokenLine(for question: UserQuestion) -> String {
    SpokenLabel(HumanRequest.question(question).needs).line(line(for: question))
  }

  private static func line(for question: UserQuestion) -> String {
    let items = QuestionText.items(of: question).map { item in
      let hint = item.placeholder.map { ["e.g. \($0)"] } ?? []
      let notes = item.options + hint
      return notes.isEmpty ? item.question : "\(item.question) (\(notes.joined(separator: ", ")))"
    }
    let request = HumanRequest.question(question)
    let note = request.allowanceNote.map { [$0, end(of: request)].compactMap(\.self) } ?? []
    return "\(request.needs.state): \((items + note).sentence())"
  }

  private static func line(for outcome: TurnOutcome) -> String {
    let words =
      switch outcome {
      case .succeeded: "turn finished"
      case .empty: "turn finished without an answer"
      case .failed: "turn failed"
      case .stopped: "turn stopped"
      case .dropped: "turn removed from the queue before it started"
      case .unknown: "turn ended, outcome unknown"
      }
    return words + (outcome.reasonWords.map { ": \($0.safeLine())" } ?? "")
  }
}

/// One turn on one line, for output that shows only its progress and end.
package enum ActivityLine {
  /// Returns the session, its activity and the elapsed time, safe to show, in at most `width`
  /// columns.
  package static func line(
    for turn: Turn,
    of sessionID: String,
    width: Int,
    now: Timestamp
  ) -> StyledText {
    let mark = StatusMark(turn)
    var line = StyledText("\(mark.symbol) session \(sessionID)", mark.style)
    line.append(": ", .dim)
    line = line.with(ActivityCard.work(turn) ?? StyledText(mark.word, mark.style))
    guard let time = ActivityCard.elapsed(turn, at: now) else { return line.truncated(to: width) }
    return line.with(StyledText(time, .dim), at: width)
  }
}

extension ActivityChange {
  /// Whether the change is news when it is received, even if it occurred earlier.
  var isNewsEvenLate: Bool {
    switch self {
    case .turnFinished, .queueDropped, .queueLost, .sessionEnded, .notice: true
    default: false
    }
  }
}
