// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// The pending questions and dialogs, in the order of their arrival.
///
/// Some servers report when a dialog is settled, and repeat the pending ones on each connection. On
/// other servers a question is over when the agent continues, or when the call that asked it ends.
struct OpenQuestions: Sendable {
  private(set) var all: [UserQuestion] = []
  /// Whether the server reports settled dialogs.
  let areReported: Bool
  /// The questions that the server has not repeated since the last connection.
  private var unrepeated: Set<String> = []

  init(areReported: Bool = false) {
    self.areReported = areReported
  }

  mutating func ask(_ question: UserQuestion) -> [ActivityChange] {
    unrepeated.remove(question.id)
    let isNews = all.put(question) { $0.isAbout(sameAs: question) }
    return isNews ? [.question(question)] : []
  }

  /// Removes a question that was answered here.
  mutating func answered(_ id: String) { all.removeAll { $0.id == id } }

  /// Removes a question that the server reports as settled.
  mutating func settle(_ id: String) -> [ActivityChange] {
    guard all.contains(where: { $0.id == id }) else { return [] }
    answered(id)
    return [.questionSettled(id: id)]
  }

  /// Marks all questions for a new connection, on which the server repeats the pending ones.
  mutating func reconnect() { unrepeated = Set(all.map(\.id)) }

  /// Removes the questions of a tool call that ended.
  mutating func endCall(of tool: String) {
    if tool == "ask", !areReported { all.removeAll { $0.method == "ask" } }
  }

  /// Removes all questions that are over because the agent continued.
  mutating func goOn() {
    guard areReported else { return clear() }
    all.removeAll { unrepeated.contains($0.id) }
    unrepeated = []
  }

  /// Removes all questions because the agent ended.
  mutating func clear() { (all, unrepeated) = ([], []) }

  /// The questions that are still pending in the next turn.
  var next: OpenQuestions { areReported ? self : OpenQuestions() }
}

/// The sequence numbers of the session's durable messages.
struct SessionCounter: Sendable {
  /// The sequence number of the last durable message, from which a new subscription resumes.
  private(set) var last = 0
  /// The session's sequence number when the subscription started.
  private var connected = 0
  /// The agent that counts; `nil` on servers that do not name agents.
  private var epoch: String?

  /// Records a durable message; returns whether it is new.
  mutating func take(_ sequence: Int) -> Bool {
    guard sequence > last else { return false }
    last = sequence
    return true
  }

  /// Records the sequence number of a new subscription and the agent that counts; returns whether
  /// that is another agent than before.
  mutating func connect(_ sequence: Int, of epoch: String? = nil) -> Bool {
    let isNamedAnew = self.epoch != nil && epoch != nil && self.epoch != epoch
    let isOther = sequence < max(last, connected) || isNamedAnew
    if isOther { last = 0 }
    connected = sequence
    self.epoch = epoch
    return isOther
  }

  /// Whether a message is older than the subscription.
  func isPast(_ sequence: Int?) -> Bool { sequence.map { $0 <= connected } ?? false }

  /// Marks all messages before the subscription as received.
  mutating func catchUp() { last = max(last, connected) }
}

extension [ExtensionStatus] {
  /// Sets the status line of a key, or removes it.
  mutating func set(_ key: String, _ text: String?) -> [ActivityChange] {
    let key = key.head(bytes: 100)
    let text = text?.head(bytes: 1024)
    if let text {
      let status = ExtensionStatus(key: key, text: text)
      guard put(status, unless: { $0 == status }) else { return [] }
    } else {
      guard let index = firstIndex(where: { $0.key == key }) else { return [] }
      remove(at: index)
    }
    return [.statusChanged(key: key, text: text)]
  }
}

extension Array where Element: Identifiable {
  /// Adds an element, or replaces the one with its id; returns false if that is the same, or if
  /// there are already ``Turn/companionLimit`` elements.
  mutating func put(_ element: Element, unless isSame: (Element) -> Bool) -> Bool {
    if let index = firstIndex(where: { $0.id == element.id }) {
      guard !isSame(self[index]) else { return false }
      self[index] = element
    } else {
      guard count < Turn.companionLimit else { return false }
      append(element)
    }
    return true
  }
}
