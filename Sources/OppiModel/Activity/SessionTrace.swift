// SPDX-License-Identifier: MIT

/// A session's trace as the server lists it, divided into turns.
///
/// An entry is written when its message ends: the running message is not there yet.
struct SessionTrace {
  private let entries: [JSONValue]

  /// Reads the server's list; what is not one is empty.
  init(_ json: JSONValue) {
    entries = json.array ?? []
  }

  /// The last turn, or all that there is where no prompt is among it.
  var lastTurn: TraceTurn? {
    guard !entries.isEmpty else { return nil }
    return turn(at: entries.indices.last { opensTurn($0) } ?? entries.startIndex)
  }

  /// The turn of a prompt: the latest that it can have opened.
  func turn(of prompt: OwnPrompt) -> TraceTurn? {
    entries.lastIndex { $0["type"] == "user" && prompt.isText(of: $0["text"].string ?? "") }
      .map(turn(at:))
  }

  /// The turn of a prompt of which no more than the beginning was kept.
  func turn(openedBy text: String) -> TraceTurn? {
    let prompt = OwnPrompt(id: "", text: text, isQueued: false)
    let start = entries.lastIndex { entry in
      guard entry["type"] == "user", let message = entry["text"].string else { return false }
      return message.head(bytes: OutcomeDoubt.textLimit) == text || prompt.isText(of: message)
    }
    return start.map(turn(at:))
  }

  func turn(after turn: TraceTurn) -> TraceTurn? {
    turn.entries.endIndex < entries.endIndex ? self.turn(at: turn.entries.endIndex) : nil
  }

  /// The turn before another one, where there is one.
  func turn(before turn: TraceTurn) -> TraceTurn? {
    let end = turn.entries.startIndex
    return entries[..<end].indices.last { opensTurn($0) }.map { start in
      TraceTurn(entries: entries[start..<end])
    }
  }

  /// Whether the trace ends with a message; where it does not, that message was lost.
  func ends(with message: String) -> Bool {
    let last = entries.last { ["user", "assistant", "toolResult"].contains($0["type"]) }
    guard let last, let start = Self.firstWords(of: message) else { return last != nil }
    return [last["text"], last["output"]].contains { $0.string?.contains(start) == true }
  }

  /// The beginning of a text that may have been cut within a character.
  private static func firstWords(of message: String) -> Substring? {
    let words = message.drop(while: \.isWhitespace).prefix { $0 != "\u{FFFD}" }.prefix(50)
    return words.isEmpty ? nil : words
  }

  private func turn(at start: Int) -> TraceTurn {
    let end = entries[start...].indices.dropFirst().first { opensTurn($0) } ?? entries.endIndex
    return TraceTurn(entries: entries[start..<end])
  }

  /// Whether an entry is a prompt: a message of the user right after a result was told to the turn
  /// that went on with it.
  private func opensTurn(_ index: Int) -> Bool {
    guard entries[index]["type"] == "user" else { return false }
    guard let before = entries[..<index].last else { return true }
    return before["type"] != "toolResult" || before["isError"] == true
  }
}

/// The entries of one turn in a trace.
struct TraceTurn {
  /// What an entry is to a turn.
  enum Step {
    case prompt
    /// A message that was told to the turn in its middle.
    case steer(String)
    /// The whole of a message, which may be listed in pieces.
    case text(String)
    case call(JSONValue)
    case result(JSONValue)
  }

  let entries: ArraySlice<JSONValue>

  /// The text that opened the turn, as far as is needed to find it again.
  var prompt: String? {
    guard let first = entries.first, first["type"] == "user" else { return nil }
    return first["text"].string?.head(bytes: OutcomeDoubt.textLimit)
  }

  /// The entries that count, in order.
  var steps: [Step] {
    entries.reduce(into: []) { steps, entry in
      switch entry["type"].string {
      case "user": steps.append(steps.isEmpty ? .prompt : .steer(entry["text"].string ?? ""))
      case "assistant":
        let text = entry["text"].string ?? ""
        if case .text(let start) = steps.last {
          steps.removeLast()
          steps.append(.text(start + text))
        } else {
          steps.append(.text(text))
        }
      case "toolCall": steps.append(.call(entry))
      case "toolResult": steps.append(.result(entry))
      default: break
      }
    }
  }

  /// The text that ends the turn, with no call behind it.
  var answer: String? {
    guard case .text(let text) = steps.last, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text.head(bytes: TurnActivity.textLimit)
  }

  /// The ids of calls that have a result.
  var finishedCalls: Set<String> {
    Set(entries.lazy.filter { $0["type"] == "toolResult" }.compactMap { $0["toolCallId"].string })
  }

  var startedAt: Timestamp? { entries.first.flatMap(Self.time) }
  var endedAt: Timestamp? { entries.last.flatMap(Self.time) }

  /// When an entry was written, to the millisecond; `nil` for any other form than the server's.
  static func time(of entry: JSONValue) -> Timestamp? {
    let text = entry["timestamp"].string ?? ""
    // Numbers of so few digits cannot overflow.
    guard text.utf8.count == 24, text.utf8.elementsEqual("0000-00-00T00:00:00.000Z".utf8, by: fits)
    else { return nil }
    var time = Timestamp(iso8601: text.prefix(19) + "Z")
    time?.milliseconds += Int(text.dropFirst(20).prefix(3)) ?? 0
    return time
  }

  private static func fits(_ byte: UInt8, _ pattern: UInt8) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return digits.contains(pattern) ? digits.contains(byte) : byte == pattern
  }
}
