// SPDX-License-Identifier: MIT

/// What the agent thinks and says in one turn, message by message.
///
/// A message comes in pieces and then once more as a whole, which counts more. The trace may bring it
/// before or after, and then it is told only once.
struct AgentSpeech: Sendable {
  private(set) var thinking = ThinkingState()
  /// The text of the latest message; empty where that only calls tools.
  private(set) var text = ""
  /// Whether the message is being written.
  private(set) var isWriting = false
  /// Whether the last whole message has words, and nobody has spoken to the agent since.
  private(set) var isAnswer = false
  /// The messages that have been told, as hashes, in order.
  private var toldTexts: [Int] = []
  /// Text that came with the trace, whose message may still be on its way.
  private var loadedText: String?

  /// Whether nothing was said yet.
  var isSilent: Bool { toldTexts.isEmpty && !isWriting }

  // MARK: - Live

  mutating func add(text delta: String) -> [ActivityChange] {
    goOn()
    thinking.isStreaming = false
    if !isWriting { text = "" }
    isWriting = true
    let kept = delta.head(bytes: TurnActivity.textLimit - text.utf8.count)
    text += kept
    return kept.isEmpty ? [] : [.text(kept)]
  }

  mutating func add(thought delta: String) -> [ActivityChange] {
    goOn()
    thinking.append(delta)
    return delta.isEmpty ? [] : [.thinking(delta)]
  }

  /// Takes it that the agent is past the message that came with the trace.
  mutating func goOn() { loadedText = nil }

  /// Takes the whole of a message.
  mutating func end(_ text: String) -> [ActivityChange] {
    thinking.isStreaming = false
    let text = text.head(bytes: TurnActivity.textLimit)
    isAnswer = !text.allSatisfy(\.isWhitespace)
    let isLoaded = text == loadedText && !isWriting
    loadedText = nil
    return isLoaded ? [] : complete(text)
  }

  /// Makes the text of the message what it is in truth.
  private mutating func complete(_ text: String) -> [ActivityChange] {
    let seen = isWriting ? self.text : ""
    isWriting = false
    self.text = text
    if !text.isEmpty { toldTexts.append(text.hashValue) }
    guard !seen.isEmpty || !text.isEmpty else { return [] }
    guard text.head(bytes: seen.utf8.count) == seen else {
      return [.textReplaced(text), .textFinished(text)]
    }
    let rest = text.tail(bytes: text.utf8.count - seen.utf8.count)
    return (rest.isEmpty ? [] : [.text(rest)]) + [.textFinished(text)]
  }

  // MARK: - Runs

  /// Takes it that a run begins; a message that was begun before will not go on.
  mutating func beginRun() {
    isWriting = false
    isAnswer = false
  }

  /// Takes it that a run is over.
  mutating func endRun() {
    thinking.isStreaming = false
    isWriting = false
  }

  /// Takes it that somebody speaks to the agent, which has not answered that.
  mutating func hearUser() { isAnswer = false }

  // MARK: - Trace

  /// How far the messages of a trace are those that were told.
  struct Loading {
    /// The messages that were told before and have not been met in the trace.
    fileprivate var toldTexts: ArraySlice<Int>
    /// The latest message that was news.
    fileprivate var newestText: String?
  }

  func beginLoading() -> Loading { Loading(toldTexts: toldTexts[...]) }

  /// Takes a message of the trace; returns `nil` for one that is no news.
  ///
  /// Where the agent is at work, the trace may lack the message that is being written.
  mutating func load(_ text: String, _ loading: inout Loading, goesOn: Bool) -> [ActivityChange]? {
    let text = text.head(bytes: TurnActivity.textLimit)
    isAnswer = !text.allSatisfy(\.isWhitespace)
    if let index = loading.toldTexts.firstIndex(of: text.hashValue) {
      loading.toldTexts = loading.toldTexts[(index + 1)...]
      return nil
    }
    if goesOn, isWriting, !text.hasPrefix(self.text) { return nil }
    loading.newestText = text
    return complete(text)
  }

  mutating func endLoading(_ loading: Loading) { loadedText = loading.newestText }
}
