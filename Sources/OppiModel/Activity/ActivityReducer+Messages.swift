// SPDX-License-Identifier: MIT

extension ActivityReducer {
  mutating func addText(_ delta: String) -> [ActivityChange] {
    hearModel()
    activity.thinking.isStreaming = false
    if !activity.isWriting { activity.text = "" }
    activity.isWriting = true
    let kept = delta.head(bytes: TurnActivity.textLimit - activity.text.utf8.count)
    activity.text += kept
    return kept.isEmpty ? [] : [.text(kept)]
  }

  mutating func addThought(_ delta: String) -> [ActivityChange] {
    hearModel()
    activity.thinking.append(delta)
    return delta.isEmpty ? [] : [.thinking(delta)]
  }

  /// The model goes on, so nothing is waiting for an answer and no failure was the last word.
  private mutating func hearModel() {
    error = nil
    phase = .writing
    loadedText = nil
    activity.questions = []
  }

  /// Takes the whole of a message, which counts more than its pieces.
  mutating func endMessage(_ text: String) -> [ActivityChange] {
    activity.thinking.isStreaming = false
    activity.questions = []
    phase = .executing(announced: activity.toolCalls.contains { $0.state == .planned })
    let text = text.head(bytes: TurnActivity.textLimit)
    hasAnswer = !text.allSatisfy(\.isWhitespace)
    let isLoaded = text == loadedText && !activity.isWriting
    loadedText = nil
    if isLoaded { return [] }
    return complete(text)
  }

  /// Makes the text of the message what it is in truth.
  mutating func complete(_ text: String) -> [ActivityChange] {
    let seen = activity.isWriting ? activity.text : ""
    activity.isWriting = false
    activity.text = text
    if !text.isEmpty { toldTexts.append(text.hashValue) }
    guard !seen.isEmpty || !text.isEmpty else { return [] }
    guard text.head(bytes: seen.utf8.count) == seen else {
      return [.textReplaced(text), .textFinished(text)]
    }
    let rest = text.tail(bytes: text.utf8.count - seen.utf8.count)
    return (rest.isEmpty ? [] : [.text(rest)]) + [.textFinished(text)]
  }

  mutating func ask(_ question: UserQuestion) -> [ActivityChange] {
    guard !activity.questions.contains(where: { $0.id == question.id }),
      activity.questions.count < TurnActivity.companionLimit
    else { return [] }
    var question = question
    question.body = question.body.bounded(bytes: 1024 * 1024)
    activity.questions.append(question)
    return [.question(question)]
  }

  /// Drops a question that was answered here; the server never says so.
  package mutating func answered(question id: String) {
    activity.questions.removeAll { $0.id == id }
  }
}
