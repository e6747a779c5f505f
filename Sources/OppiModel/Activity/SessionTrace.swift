// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// A session's trace as the server lists it, divided into turns.
///
/// An entry is written when its message ends: a message in progress is missing.
struct SessionTrace {
  private let entries: [JSONValue]

  /// A value that is not a list counts as an empty trace.
  init(_ json: JSONValue) {
    entries = json.array ?? []
  }

  /// The last turn, or the agent's work if the trace has no prompt.
  var lastTurn: TraceTurn? {
    (entries.indices.last { opensTurn($0) } ?? leadingWork).map(turn(at:))
  }

  var endsWithPrompt: Bool {
    entries.indices.last { TraceTurn.isMessage(entries[$0]) }.map(opensTurn) == true
  }

  /// All turns in order, including work before the first prompt.
  var turns: [TraceTurn] {
    let prompts = entries.indices.filter(opensTurn)
    let starts = [leadingWork].compactMap(\.self) + prompts
    return zip(starts, starts.dropFirst() + [entries.endIndex]).map { start, end in
      TraceTurn(entries: entries[start..<end])
    }
  }

  /// The first message entry, if it precedes the first prompt.
  ///
  /// A trace begins with system entries, such as the model, that belong to no turn.
  private var leadingWork: Int? {
    let first = entries.indices.first { TraceTurn.isMessage(entries[$0]) }
    return first.flatMap { opensTurn($0) ? nil : $0 }
  }

  /// The latest turn that the prompt can have opened.
  func turn(of prompt: OwnPrompt) -> TraceTurn? {
    entries.lastIndex { $0["type"] == "user" && prompt.isText(of: $0["text"].text(.content) ?? "") }
      .map(turn(at:))
  }

  /// The turn of a prompt of which only the beginning was kept.
  func turn(openedBy text: String) -> TraceTurn? {
    let prompt = OwnPrompt(id: "", text: text, isQueued: false)
    return entries.lastIndex { TraceTurn.isPrompt($0, prompt, keptAs: text) }.map(turn(at:))
  }

  /// A turn with all later entries: a steering message after a failed call looks like a prompt.
  func rest(from turn: TraceTurn) -> TraceTurn {
    TraceTurn(entries: entries[turn.entries.startIndex...])
  }

  /// The running turn, found by its prompt; `nil` if other prompts have followed.
  func turnAtWork(openedBy text: String) -> TraceTurn? {
    guard let turn = turn(openedBy: text) else { return nil }
    let later = entries[turn.entries.endIndex...].indices.filter(opensTurn)
    return later.allSatisfy { entries[$0 - 1]["type"] == "toolResult" } ? rest(from: turn) : nil
  }

  func turn(after turn: TraceTurn) -> TraceTurn? {
    turn.entries.endIndex < entries.endIndex ? self.turn(at: turn.entries.endIndex) : nil
  }

  func turn(before turn: TraceTurn) -> TraceTurn? {
    let end = turn.entries.startIndex
    return entries[..<end].indices.last { opensTurn($0) }.map { start in
      TraceTurn(entries: entries[start..<end])
    }
  }

  /// Whether the trace ends with a message; if not, that message was lost.
  ///
  /// The message may be cut, even within a character.
  func ends(with message: String) -> Bool {
    guard let last = entries.lastIndex(where: { Self.kinds.contains($0["type"].text(.name) ?? "") })
    else { return false }
    let start = Self.firstWords(of: message)
    guard !start.isEmpty else { return true }
    guard entries[last]["type"] == "assistant" else {
      return [entries[last]["text"], entries[last]["output"]].contains {
        $0.text(.content)?.contains(String(start)) == true
      }
    }
    let begin = entries[..<last].lastIndex { ["user", "toolResult"].contains($0["type"]) } ?? -1
    let blocks = entries[(begin + 1)...last].filter { $0["type"] == "assistant" }
    var begun: Set<Substring> = []
    return blocks.indices.contains { index in
      let message = Self.message(of: blocks[index])
      guard !Self.text(of: blocks[index]).allSatisfy(\.properties.isWhitespace),
        message.map({ begun.insert($0).inserted }) ?? true
      else { return false }
      let own = blocks[index...].lazy.prefix { Self.message(of: $0) == message }
      return own.flatMap(Self.text).drop(while: \.properties.isWhitespace).starts(with: start)
    }
  }

  /// The entry types that can be a session's last message.
  private static let kinds: Set<String> = ["user", "assistant", "toolResult"]

  private static func text(of entry: JSONValue) -> String.UnicodeScalarView {
    (entry["text"].text(.content) ?? "").unicodeScalars
  }

  /// The part of the id that the entries of a message share, one for each text; `nil` if unknown.
  private static func message(of entry: JSONValue) -> Substring? {
    let id = entry["id"].text(.name) ?? ""
    return id.firstRange(of: "-text-").map { id[..<$0.lowerBound] }
  }

  /// The first 50 scalars of a text that may be cut within a character.
  private static func firstWords(of message: String) -> Substring.UnicodeScalarView {
    message.unicodeScalars.drop(while: \.properties.isWhitespace).prefix { $0 != "\u{FFFD}" }
      .prefix(50)
  }

  private func turn(at start: Int) -> TraceTurn {
    let end = entries[start...].indices.dropFirst().first { opensTurn($0) } ?? entries.endIndex
    return TraceTurn(entries: entries[start..<end])
  }

  /// Whether an entry is a prompt: a user message right after a result steers the turn.
  private func opensTurn(_ index: Int) -> Bool {
    guard entries[index]["type"] == "user" else { return false }
    guard let before = entries[..<index].last else { return true }
    return before["type"] != "toolResult" || before["isError"] == true
  }
}

struct TraceTurn {
  enum Step {
    case prompt
    /// A message sent to the running turn.
    case steer(String)
    /// A whole message, which may be listed in pieces.
    case text(String)
    /// A call, and the time of its message.
    case call(ToolCall, at: Timestamp?)
    case result(Result)
  }

  struct Result {
    let callID: String?
    let tool: String
    /// The output without images, which are lines of it in the trace.
    let output: String
    let imageCount: Int
    let isError: Bool
    let details: JSONValue
    let time: Timestamp?

    fileprivate init(_ entry: JSONValue) {
      callID = entry["toolCallId"].text(.name)
      tool = entry["toolName"].text(.name) ?? ""
      (output, imageCount) = (entry["output"].text(.content) ?? "").withoutMedia
      isError = entry["isError"].bool ?? false
      details = entry["details"]
      time = TraceTurn.time(of: entry)
    }
  }

  let entries: ArraySlice<JSONValue>

  /// The whole text that opened the turn.
  var wholePrompt: String? {
    guard let first = entries.first, first["type"] == "user" else { return nil }
    return first["text"].text(.content)
  }

  /// The text that opened the turn, cut to ``UnknownReason/textLimit``.
  var prompt: String? { wholePrompt?.head(bytes: UnknownReason.textLimit) }

  var callCount: Int { entries.count { $0["type"] == "toolCall" } }

  /// Whether the turn was opened by a prompt of which only the beginning was kept.
  func isOpened(by text: String) -> Bool {
    let prompt = OwnPrompt(id: "", text: text, isQueued: false)
    return entries.first.map { Self.isPrompt($0, prompt, keptAs: text) } ?? false
  }

  /// Whether an entry is a prompt of which only the beginning was kept.
  static func isPrompt(_ entry: JSONValue, _ prompt: OwnPrompt, keptAs text: String) -> Bool {
    guard entry["type"] == "user", let message = entry["text"].text(.content) else { return false }
    return message.head(bytes: UnknownReason.textLimit) == text || prompt.isText(of: message)
  }

  var steps: [Step] {
    entries.reduce(into: []) { steps, entry in
      switch entry["type"].text(.name) {
      case "user":
        steps.append(steps.isEmpty ? .prompt : .steer(entry["text"].text(.content) ?? ""))
      case "assistant":
        let text = entry["text"].text(.content) ?? ""
        if case .text(var start) = steps.last {
          // Removing the last step first avoids a copy per piece.
          steps.removeLast()
          start += text
          steps.append(.text(start))
        } else {
          steps.append(.text(text))
        }
      case "toolCall":
        let tool = entry["tool"].text(.name) ?? ""
        let call = ToolCall(id: entry["id"].text(.name), tool: tool, arguments: entry["args"])
        steps.append(.call(call, at: Self.time(of: entry)))
      case "toolResult": steps.append(.result(Result(entry)))
      default: break
      }
    }
  }

  /// The text that ends the turn; `nil` if a call follows it.
  var answer: String? {
    guard case .text(let text) = steps.last, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text.head(bytes: Turn.textLimit)
  }

  var finishedCalls: Set<String> {
    Set(
      entries.lazy.filter { $0["type"] == "toolResult" }.compactMap { $0["toolCallId"].text(.name) }
    )
  }

  var startedAt: Timestamp? { entries.first(where: Self.isMessage).flatMap(Self.time) }
  var endedAt: Timestamp? { entries.last(where: Self.isMessage).flatMap(Self.time) }

  /// Whether an entry belongs to a message; system entries may be written long after a turn.
  static func isMessage(_ entry: JSONValue) -> Bool {
    switch entry["type"].text(.name) {
    case "user", "assistant", "thinking", "toolCall", "toolResult": true
    default: false
    }
  }

  /// The time of an entry in milliseconds; `nil` for any format other than the server's.
  static func time(of entry: JSONValue) -> Timestamp? {
    let text = entry["timestamp"].text(.name) ?? ""
    guard text.utf8.count == 24, text.utf8.elementsEqual("0000-00-00T00:00:00.000Z".utf8, by: fits)
    else { return nil }
    let fraction = Int(text.dropFirst(20).prefix(3)) ?? 0
    return Timestamp(iso8601: text.prefix(19) + "Z").map {
      Timestamp(milliseconds: $0.milliseconds + fraction)
    }
  }

  private static func fits(_ byte: UInt8, _ pattern: UInt8) -> Bool {
    pattern.isASCIIDigit ? byte.isASCIIDigit : byte == pattern
  }
}
