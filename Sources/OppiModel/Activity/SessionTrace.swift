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

  /// All turns in their order; what stands before the first prompt is one, too.
  var turns: [TraceTurn] {
    var starts = entries.indices.filter(opensTurn)
    if !entries.isEmpty, starts.first != entries.startIndex { starts.insert(0, at: 0) }
    return zip(starts, starts.dropFirst() + [entries.endIndex]).map { start, end in
      TraceTurn(entries: entries[start..<end])
    }
  }

  /// The turn of a prompt: the latest that it can have opened.
  func turn(of prompt: OwnPrompt) -> TraceTurn? {
    entries.lastIndex { $0["type"] == "user" && prompt.isText(of: $0["text"].string ?? "") }
      .map(turn(at:))
  }

  /// The turn of a prompt of which no more than the beginning was kept.
  func turn(openedBy text: String) -> TraceTurn? {
    let prompt = OwnPrompt(id: "", text: text, isQueued: false)
    return entries.lastIndex { TraceTurn.isPrompt($0, prompt, keptAs: text) }.map(turn(at:))
  }

  /// A turn with all that stands behind it: messages that were told to it right after a failed call
  /// look as if they opened others.
  func rest(from turn: TraceTurn) -> TraceTurn {
    TraceTurn(entries: entries[turn.entries.startIndex...])
  }

  /// The turn that runs, by its prompt; `nil` where other prompts have come since.
  func turnAtWork(openedBy text: String) -> TraceTurn? {
    guard let turn = turn(openedBy: text) else { return nil }
    let later = entries[turn.entries.endIndex...].indices.filter(opensTurn)
    return later.allSatisfy { entries[$0 - 1]["type"] == "toolResult" } ? rest(from: turn) : nil
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
