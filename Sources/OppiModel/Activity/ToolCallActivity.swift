// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// One call of a tool, as it is followed live, or as it is recorded.
package struct ToolCallActivity: Sendable, Equatable, Identifiable {
  /// The position among all calls of the recorded conversation, counted from 1; 0 if it is not
  /// recorded.
  package internal(set) var number = 0
  /// The server's id, or a local one if the server sent none at first; unique within a turn.
  package let id: String
  package var tool: String
  /// As the model wrote them, cut if very long.
  package var arguments: JSONValue
  package var state: ToolCallState
  /// The end of the output.
  package var output = ToolOutputText()
  /// The whole recorded output, as far as the server has kept it; `nil` without a result.
  package var recordedOutput: String?
  /// What the tool reports besides its output, cut if very long.
  package var details = JSONValue.null
  /// The change that an edit or a write makes, known when the call starts.
  package var lineChange: LineChange?
  /// The number of images and sounds returned; only their number is kept.
  package var imageCount = 0
  package var startedAt: Timestamp?
  package var endedAt: Timestamp?

  /// The server's id; `nil` while unknown.
  package internal(set) var wireID: String?
  var isStartTold = false

  package init(id: String, tool: String, arguments: JSONValue, state: ToolCallState) {
    self.id = id
    self.tool = tool
    self.arguments = arguments
    self.state = state
  }

  package var isOpen: Bool { endedAt == nil }

  /// The time from start to end, including the wait for approval; `nil` before the end.
  package var duration: Duration? { startedAt?.duration(to: endedAt) }

  package var pendingApproval: PermissionRequest? {
    guard case .waitingApproval(let request) = state else { return nil }
    return request
  }

  /// Why the call was rejected; empty if the reason was not seen, `nil` in any other state.
  package var rejection: String? {
    guard case .rejected(let reason) = state else { return nil }
    return reason
  }
}

package enum ToolCallState: Sendable, Equatable {
  /// The model is writing the call, or has written it.
  case planned
  case waitingApproval(PermissionRequest)
  /// As shown while the turn waits for the user, because a question is not that of a certain call.
  case waiting
  case running
  case succeeded
  case failed
  /// The tool never ran; the server's reason, or empty if it was not seen.
  case rejected(reason: String)
  /// The turn is over, and the server did not report the end of the call.
  case unfinished
}

extension ToolCallActivity {
  /// The number of bytes of a finished call's output that are kept.
  private static let finishedOutputLimit = 8 * 1024

  /// Sets the tool name of a call that was first seen by its output.
  mutating func name(_ tool: String) {
    if self.tool.isEmpty { self.tool = tool.head(bytes: 100) }
  }

  /// Starts a planned call and reports the start once; a call that waits for approval keeps
  /// waiting.
  mutating func run(at now: Timestamp? = nil) -> [ActivityChange] {
    if state == .planned { (state, startedAt) = (.running, now) }
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
    return [.approvalResolved(id: request.id, outcome: outcome)] + run()
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
    if case .rejected = state, isRefused {} else { state = .unfinished }
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
  package var withoutMedia: (text: String, imageCount: Int) {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.filter { !$0.isEncodedMedia }
    return (text.joined(separator: "\n"), lines.count - text.count)
  }

  /// The text without the line feed that ends its last line.
  fileprivate var withoutLastLineFeed: String {
    utf8.last == UInt8(ascii: "\n") ? String(decoding: utf8.dropLast(), as: UTF8.self) : self
  }

  /// Whether the text may be the label of a blocking rule, such as `Block sudo`.
  fileprivate var isRuleLabel: Bool {
    hasPrefix("Block ") && utf8.count < 200 && !utf8.contains(UInt8(ascii: "\n"))
  }
}

/// The end of a tool's output and the size of all of it.
///
/// The cost of appending depends only on the appended piece, not on the length of the output.
package struct ToolOutputText: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8.
  package static let limit = 64 * 1024

  /// Up to twice the limit, so that cutting is rare.
  private(set) var kept = ""

  /// The size of the whole output in bytes of UTF-8.
  package private(set) var totalBytes = 0
  /// The number of lines of the whole output; `nil` if the server sent only its end.
  package private(set) var totalLines: Int? = 0

  package var text: String { kept.tail(bytes: Self.limit) }

  package var isTruncated: Bool { totalBytes > text.utf8.count }

  mutating func append(_ piece: String) {
    guard !piece.isEmpty else { return }
    // The piece may continue an unfinished line.
    let isWithinLine = !kept.isEmpty && kept.utf8.last != UInt8(ascii: "\n")
    totalLines = totalLines.map { $0 + piece.lineCount - (isWithinLine ? 1 : 0) }
    totalBytes += piece.utf8.count
    kept += piece.tail(bytes: Self.limit)
    if kept.utf8.count > 2 * Self.limit { kept = text }
  }

  /// Replaces all output so far; `text` is the whole output, or the end of `totalBytes` bytes.
  mutating func replace(with text: String, totalBytes: Int?) {
    kept = text.tail(bytes: Self.limit)
    self.totalBytes = max(totalBytes ?? 0, text.utf8.count)
    totalLines = self.totalBytes > text.utf8.count ? nil : text.lineCount
  }

  mutating func complete(totalBytes: Int?, totalLines: Int?) {
    self.totalBytes = max(totalBytes ?? 0, self.totalBytes)
    self.totalLines = totalLines ?? self.totalLines
  }

  mutating func shrink(to bytes: Int) {
    kept = kept.tail(bytes: bytes)
  }
}

/// The number of lines that a call adds to a file and removes from it.
package struct LineChange: Sendable, Equatable {
  package var added: Int
  package var removed: Int
}

extension LineChange {
  /// Counts the lines that the arguments of a `write` or `edit` call add and remove, without those
  /// that stay; `nil` for other arguments.
  init?(arguments: JSONValue) {
    if let content = arguments["content"].text(.content) {
      self.init(added: content.lineCount, removed: 0)
      return
    }
    let edits = Self.edits(in: arguments)
    guard !edits.isEmpty else { return nil }
    self.init(added: 0, removed: 0)
    // The time is that of one edit, however many edits a call has.
    let limit = LineDiff.limit / edits.count
    for edit in edits {
      let (old, new) = (edit.old.withoutLastLineFeed, edit.new.withoutLastLineFeed)
      let lines = LineDiff(from: old, to: new, limit: limit).lines
      added += lines.count(where: \.isAdded)
      removed += lines.count(where: \.isRemoved)
    }
  }

  /// The texts that an `edit` call replaces.
  package static func edits(in arguments: JSONValue) -> [(old: String, new: String)] {
    (arguments["edits"].array ?? [arguments]).compactMap { edit in
      guard let old = edit["oldText"].text(.content), let new = edit["newText"].text(.content)
      else { return nil }
      return (old, new)
    }
  }

  /// Counts the lines that begin with `+` or `-` in a diff.
  init(difference: String) {
    self.init(added: 0, removed: 0)
    for line in difference.split(whereSeparator: \.isNewline)
    where !line.hasPrefix("+++ ") && !line.hasPrefix("--- ") {
      if line.hasPrefix("+") { added += 1 }
      if line.hasPrefix("-") { removed += 1 }
    }
  }
}
