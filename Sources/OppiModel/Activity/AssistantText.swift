// SPDX-License-Identifier: MIT

import OppiText

/// The agent's thinking and messages in one turn.
///
/// A message arrives in pieces and then as a whole, which takes precedence. The trace may contain
/// it earlier or later; it is reported once.
struct AssistantText: Sendable {
  private(set) var thinking = ThinkingState()
  /// The text of the latest message; empty if that message only calls tools.
  private(set) var text = ""
  private(set) var isWriting = false
  /// Whether the last complete message has text, and no user message followed.
  private(set) var isAnswer = false
  /// Whether the start of the current message may be missing, because it was sent before the
  /// connection.
  private(set) var mayLackStart = false
  /// Whether pieces of the current message were missed, so that the next ones do not continue it.
  private var isIncomplete = false
  /// Hashes of the reported messages, in order.
  private var toldTexts: [Int] = []
  /// While a trace is loaded: those that were not found in it yet.
  private var missingTexts: ArraySlice<Int> = []
  /// Text loaded from the trace whose message may still arrive.
  private var loadedText: String?
  /// Whether only the trace has shown that the latest message ended: if its agent is gone, the agent
  /// may have been ended in the middle of it.
  private(set) var mayBeCutOff = false

  var isSilent: Bool { toldTexts.isEmpty && !isWriting }

  // MARK: - Live

  mutating func add(text delta: String) -> [ActivityChange] {
    goOn()
    thinking.isStreaming = false
    guard !isIncomplete else { return [] }
    if !isWriting { text = "" }
    isWriting = true
    let kept = delta.head(bytes: Turn.textLimit - text.utf8.count)
    text += kept
    return kept.isEmpty ? [] : [.text(kept)]
  }

  mutating func add(thought delta: String) -> [ActivityChange] {
    goOn()
    // A message begins with its thinking.
    mayLackStart = mayLackStart && isWriting
    thinking.append(delta)
    return delta.isEmpty ? [] : [.thinking(delta)]
  }

  /// Records that the agent is past the message that was loaded from the trace.
  mutating func goOn() { loadedText = nil }

  /// Records that pieces of a message may be missing until the next message starts.
  mutating func miss() { isIncomplete = true }

  /// Records that the next piece may continue a message whose start was not seen.
  mutating func joinMessage() { mayLackStart = true }

  /// Records that the next piece is the first of a message.
  mutating func beginMessage() { (isIncomplete, mayLackStart) = (false, false) }

  mutating func end(_ text: String) -> [ActivityChange] {
    thinking.isStreaming = false
    beginMessage()
    let text = text.head(bytes: Turn.textLimit)
    isAnswer = !text.allSatisfy(\.isWhitespace)
    let isLoaded = text == loadedText && !isWriting
    loadedText = nil
    return isLoaded ? [] : complete(text)
  }

  /// Sets the final text and reports how it differs from the pieces.
  private mutating func complete(_ text: String) -> [ActivityChange] {
    let seen = isWriting ? self.text : ""
    (isWriting, mayBeCutOff) = (false, false)
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

  /// Starts a run; an unfinished message of the previous run does not continue.
  mutating func beginRun() {
    isWriting = false
    isAnswer = false
    beginMessage()
  }

  mutating func endRun() {
    thinking.isStreaming = false
    isWriting = false
  }

  mutating func receiveUserMessage() {
    isAnswer = false
    beginMessage()
  }

  // MARK: - Trace

  /// Handles a past user message, which says nothing about the message that is being written.
  mutating func loadUser() { isAnswer = false }

  mutating func beginLoading() { (missingTexts, loadedText) = (toldTexts[...], nil) }

  mutating func endLoading() { missingTexts = [] }

  /// Loads a message of the trace; returns `nil` if it was reported before.
  ///
  /// Such a message is the latest one again: earlier ones may have been loaded after it was
  /// reported. While the agent is working, the trace may lack the message that is being written.
  mutating func load(_ text: String, goesOn: Bool) -> [ActivityChange]? {
    let text = text.head(bytes: Turn.textLimit)
    isAnswer = !text.allSatisfy(\.isWhitespace)
    if let index = missingTexts.firstIndex(of: text.hashValue) {
      missingTexts = missingTexts[(index + 1)...]
      goOn()
      mayBeCutOff = false
      if !isWriting { self.text = text }
      return nil
    }
    if goesOn, isWriting, !text.hasPrefix(self.text) { return nil }
    loadedText = text
    defer { mayBeCutOff = !goesOn }
    return complete(text)
  }
}

/// The model's latest thinking text.
package struct ThinkingState: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8; beyond it, the start is dropped.
  package static let limit = 16 * 1024

  /// The end of the latest thinking text.
  package private(set) var text = ""
  package var isStreaming = false

  mutating func append(_ delta: String) {
    if !isStreaming { text = "" }
    isStreaming = true
    text += delta.tail(bytes: Self.limit)
    if text.utf8.count > Self.limit { text = text.tail(bytes: Self.limit / 2) }
  }
}
