// SPDX-License-Identifier: MIT

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

  /// The text that opened the turn, cut to ``OutcomeDoubt/textLimit``.
  var prompt: String? {
    guard let first = entries.first, first["type"] == "user" else { return nil }
    return first["text"].text(.content)?.head(bytes: OutcomeDoubt.textLimit)
  }

  /// Whether the turn was opened by a prompt of which only the beginning was kept.
  func isOpened(by text: String) -> Bool {
    let prompt = OwnPrompt(id: "", text: text, isQueued: false)
    return entries.first.map { Self.isPrompt($0, prompt, keptAs: text) } ?? false
  }

  /// Whether an entry is a prompt of which only the beginning was kept.
  static func isPrompt(_ entry: JSONValue, _ prompt: OwnPrompt, keptAs text: String) -> Bool {
    guard entry["type"] == "user", let message = entry["text"].text(.content) else { return false }
    return message.head(bytes: OutcomeDoubt.textLimit) == text || prompt.isText(of: message)
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
      case "toolCall": steps.append(.call(ToolCall(traced: entry), at: Self.time(of: entry)))
      case "toolResult": steps.append(.result(Result(entry)))
      default: break
      }
    }
  }

  /// The text that ends the turn; `nil` if a call follows it.
  var answer: String? {
    guard case .text(let text) = steps.last, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text.head(bytes: TurnActivity.textLimit)
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

extension ToolCall {
  fileprivate init(traced entry: JSONValue) {
    self.init(
      id: entry["id"].text(.name),
      tool: entry["tool"].text(.name) ?? "",
      arguments: entry["args"]
    )
  }
}

extension ToolOutput {
  init(whole result: TraceTurn.Result) {
    self.init(
      callID: result.callID,
      text: result.output,
      replaces: true,
      isError: false,
      isTruncated: false,
      totalBytes: nil
    )
  }
}
