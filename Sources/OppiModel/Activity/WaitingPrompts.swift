// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// Messages that wait for their turn: the server's queue, and the prompts of this program.
struct WaitingPrompts: Sendable {
  /// The server's queue, with messages of all clients; older servers do not report it.
  private(set) var queue: [QueuedMessage] = []
  /// Messages that have left the queue, and of which neither the start nor a stop was seen.
  private var gone: [QueuedMessage] = []
  /// Messages of the queue of an agent that was replaced; the trace shows whether they ran.
  private var orphans: [QueuedMessage] = []
  /// This program's prompts whose turns have not started, in the order in which they were sent.
  private(set) var own: [OwnPrompt] = []

  var hasQueuedOwn: Bool { own.contains(where: \.isQueued) }

  /// All messages of which it is not known that they have left the queue.
  var pending: [QueuedMessage] { orphans + queue }

  // MARK: - The server's queue

  /// Replaces the queue: a message that left it was dropped only if a stop was seen, since servers
  /// may report that it left before they report that it starts.
  mutating func update(_ messages: [QueuedMessage], isStopping: Bool) -> [ActivityChange] {
    let queue = messages.prefix(Turn.companionLimit).map(\.bounded)
    let left = (gone + self.queue).filter { old in !queue.contains { $0.id == old.id } }
    self.queue = queue
    // Some servers keep the queue for the next agent.
    orphans.removeAll { old in queue.contains { $0.id == old.id } }
    gone = left.suffix(Turn.companionLimit)
    return isStopping ? dropGone() : []
  }

  /// Keeps the queue apart, because the agent that had it was replaced.
  mutating func loseAgent() {
    orphans = (orphans + gone + queue).suffix(Turn.companionLimit)
    (queue, gone) = ([], [])
  }

  /// Ends all queued prompts because none of them will run.
  mutating func dropQueued() -> [ActivityChange] {
    gone += queue
    queue = []
    return giveUpOrphans() + dropGone() + endOwn(as: .dropped, where: \.isQueued)
  }

  /// Forgets what has left the queue: the run that could show its start is over.
  mutating func forgetGone() { gone = [] }

  /// Forgets a message that has left the queue, because the turn with its text has begun.
  mutating func forgetGone(text: String) {
    let text = text.head(bytes: Turn.queuedTextLimit)
    if let index = gone.firstIndex(where: { $0.text == text }) {
      gone.remove(at: index)
    } else if let index = orphans.firstIndex(where: { $0.text == text }) {
      orphans.remove(at: index)
    }
  }

  /// Ends what has left the queue, because a stop has removed it.
  mutating func dropGone() -> [ActivityChange] {
    let messages = gone
    gone = []
    guard !messages.isEmpty else { return [] }
    let own = messages.compactMap { takeOwn(queuedAs: $0.id) }
    return [.queueDropped(messages)] + own.map { _ in .turnFinished(.dropped, isOwn: true) }
  }

  /// Removes a message from the queue; returns the prompt if it is this program's.
  mutating func take(_ message: QueuedMessage) -> OwnPrompt? {
    let listed = Set((pending + gone).map(\.id))
    // Newer servers give their own ids to what they queue.
    let own =
      takeOwn(queuedAs: message.id)
      ?? takeOwn { $0.isQueued && !listed.contains($0.id) && $0.isText(of: message.text) }
    queue.removeAll { $0.id == message.id }
    gone.removeAll { $0.id == message.id }
    orphans.removeAll { $0.id == message.id }
    return own
  }

  mutating func takeMessage(text: String) -> QueuedMessage? {
    let text = text.head(bytes: Turn.queuedTextLimit)
    return queue.firstIndex { $0.text == text }.map { queue.remove(at: $0) }
      ?? orphans.firstIndex { $0.text == text }.map { orphans.remove(at: $0) }
      ?? gone.firstIndex { $0.text == text }.map { gone.remove(at: $0) }
  }

  /// Clears the queue; whether its messages, and those that have just left it, ran is unknown.
  mutating func giveUpQueue() -> [ActivityChange] {
    loseAgent()
    return giveUpOrphans()
  }

  /// Gives up what the trace does not show of the queue of an agent that was replaced.
  mutating func giveUpOrphans() -> [ActivityChange] {
    let lost = orphans
    orphans = []
    return lost.isEmpty ? [] : [.queueLost(lost)]
  }

  // MARK: - This program's prompts

  mutating func add(_ prompt: OwnPrompt) { own.append(prompt) }

  /// Removes and returns the prompt that the next run belongs to.
  mutating func takeDirectOwn() -> OwnPrompt? { takeOwn { !$0.isQueued } }

  /// Removes and returns the prompt with an id in the server's queue.
  mutating func takeOwn(queuedAs id: String) -> OwnPrompt? {
    takeOwn { $0.isQueued && $0.id == id }
  }

  /// Removes and returns the prompt with a text, for servers that send no id.
  mutating func takeOwn(text: String) -> OwnPrompt? { takeOwn { $0.isText(of: text) } }

  mutating func endOwn(
    as outcome: TurnOutcome,
    where isMeant: (OwnPrompt) -> Bool
  ) -> [ActivityChange] {
    let ended = own.filter(isMeant)
    own.removeAll(where: isMeant)
    return ended.map { _ in .turnFinished(outcome, isOwn: true) }
  }

  private mutating func takeOwn(where isMeant: (OwnPrompt) -> Bool) -> OwnPrompt? {
    own.firstIndex(where: isMeant).map { own.remove(at: $0) }
  }
}

extension QueuedMessage {
  var bounded: QueuedMessage {
    QueuedMessage(
      id: id.head(bytes: 200),
      kind: kind,
      text: text.head(bytes: Turn.queuedTextLimit)
    )
  }
}

/// A prompt that this program sent to the server.
struct OwnPrompt: Sendable, Equatable {
  /// The id of the prompt in the server's queue.
  let id: String
  /// Without surrounding whitespace, which some servers remove.
  let text: String
  /// Whether it waits behind a running turn instead of starting at once.
  let isQueued: Bool

  init(id: String, text: String, isQueued: Bool) {
    self.id = id
    self.text = text.stripped
    self.isQueued = isQueued
  }

  /// Whether a user message is this prompt; images, or a list of its files, may follow its text.
  func isText(of message: String) -> Bool {
    let message = message.drop(while: \.isWhitespace)
    guard message.hasPrefix(text) else { return false }
    let rest = message.dropFirst(text.count).drop(while: \.isWhitespace)
    return rest.isEmpty || rest.hasPrefix("data:") || rest.hasPrefix("Attached files:")
  }

  /// Whether another message arrived in its place: servers lose a prompt that is slightly late.
  func isOvertaken(by message: String) -> Bool {
    !text.isEmpty && !mayBeTemplate && !isText(of: message)
  }

  /// Whether the text may name a template, which agents replace by the template's text.
  private var mayBeTemplate: Bool { text.hasPrefix("/") }
}

extension String {
  /// Whether a user message that a server reports is a prompt with this text.
  package func isText(ofMessage message: String) -> Bool {
    OwnPrompt(id: "", text: self, isQueued: false).isText(of: message)
  }
}
