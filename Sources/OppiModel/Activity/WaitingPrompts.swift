// SPDX-License-Identifier: MIT

/// What waits for its turn: the messages in the server's queue, of whomever they are, and the
/// prompts that this program has handed over.
struct WaitingPrompts: Sendable {
  /// The server's queue; older servers tell of none.
  private(set) var queue: [QueuedMessage] = []
  /// This program's prompts whose turns have not begun, in the order in which they were handed over.
  private(set) var own: [OwnPrompt] = []

  var hasQueuedOwn: Bool { own.contains(where: \.isQueued) }

  // MARK: - The server's queue

  /// Takes the queue as it stands: what has left it without having begun was dropped.
  mutating func update(_ messages: [QueuedMessage]) -> [ActivityChange] {
    let queue = messages.prefix(TurnActivity.companionLimit).map(\.bounded)
    let gone = self.queue.filter { old in !queue.contains { $0.id == old.id } }
    let changes = drop(gone)
    self.queue = queue
    return changes
  }

  /// Takes it that nothing that waits in the queue will ever run.
  mutating func dropQueued() -> [ActivityChange] {
    drop(queue) + endOwn(as: .dropped, where: \.isQueued)
  }

  private mutating func drop(_ messages: [QueuedMessage]) -> [ActivityChange] {
    guard !messages.isEmpty else { return [] }
    queue.removeAll { message in messages.contains { $0.id == message.id } }
    let own = messages.compactMap { takeOwn(queuedAs: $0.id) }
    return [.queueDropped(messages)] + own.map { _ in .turnFinished(.dropped, isOwn: true) }
  }

  /// Takes a message out of the queue, and with it this program's prompt where it is one.
  mutating func take(_ message: QueuedMessage) -> OwnPrompt? {
    queue.removeAll { $0.id == message.id }
    return takeOwn(queuedAs: message.id)
  }

  /// Takes the first message with a text out of the queue.
  mutating func takeMessage(text: String) -> QueuedMessage? {
    let text = text.head(bytes: TurnActivity.queuedTextLimit)
    return queue.firstIndex { $0.text == text }.map { queue.remove(at: $0) }
  }

  /// Gives up the queue: nobody has seen what became of it.
  mutating func giveUpQueue() -> [ActivityChange] {
    defer { queue = [] }
    return queue.isEmpty ? [] : [.queueLost(queue)]
  }

  // MARK: - This program's prompts

  mutating func add(_ prompt: OwnPrompt) { own.append(prompt) }

  /// Takes the prompt whose turn the next run is.
  mutating func takeDirectOwn() -> OwnPrompt? { takeOwn { !$0.isQueued } }

  /// Takes the prompt that the server's queue names.
  mutating func takeOwn(queuedAs id: String) -> OwnPrompt? {
    takeOwn { $0.isQueued && $0.id == id }
  }

  /// Takes the prompt that a user's message is, for servers that name none.
  mutating func takeOwn(text: String) -> OwnPrompt? { takeOwn { $0.isText(of: text) } }

  /// Gives up all that were queued: nobody knows what became of them.
  mutating func giveUpQueuedOwn(because reason: String) -> [ActivityChange] {
    endOwn(as: .unknown(reason: reason), where: \.isQueued)
  }

  /// Gives up all.
  mutating func giveUpAllOwn(because reason: String) -> [ActivityChange] {
    endOwn(as: .unknown(reason: reason)) { _ in true }
  }

  private mutating func endOwn(
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
  /// The message with no more of its text than is kept.
  var bounded: QueuedMessage {
    QueuedMessage(
      id: id.head(bytes: 200),
      kind: kind,
      text: text.head(bytes: TurnActivity.queuedTextLimit)
    )
  }
}
