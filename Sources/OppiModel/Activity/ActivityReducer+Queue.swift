// SPDX-License-Identifier: MIT

/// The server's queue and the lines of status, which outlive turns.
extension ActivityReducer {
  /// Takes the queue as it stands: what has left it without having begun was dropped.
  mutating func updateQueue(_ messages: [QueuedMessage]) -> [ActivityChange] {
    let queue = messages.prefix(TurnActivity.companionLimit).map(Self.bounded)
    let gone = activity.queue.filter { old in !queue.contains { $0.id == old.id } }
    let changes = drop(gone)
    activity.queue = queue
    return changes
  }

  /// Takes it that messages left the queue and will never run.
  mutating func drop(_ messages: [QueuedMessage]) -> [ActivityChange] {
    guard !messages.isEmpty else { return [] }
    activity.queue.removeAll { message in messages.contains { $0.id == message.id } }
    let own = messages.compactMap { prompts.takeQueued(id: $0.id) }
    return [.queueDropped(messages)] + own.map { _ in .turnFinished(.dropped, isOwn: true) }
  }

  /// Takes it that a message leaves the queue for the agent: one that follows opens a turn.
  mutating func start(_ message: QueuedMessage, at now: Timestamp) -> [ActivityChange] {
    let message = Self.bounded(message)
    activity.queue.removeAll { $0.id == message.id }
    let prompt = prompts.takeQueued(id: message.id)
    var changes: [ActivityChange] = []
    if message.kind == .followUp, run != .awaited {
      switch run {
      case .ended(_, let end), .resumed(let end, _): changes = finish(ownOutcome, at: end)
      case .active: changes = finish(ownOutcome, at: now)
      case .none, .awaited: break
      }
      changes += startTurn(at: now, own: prompt)
      opening = Opening(id: message.id)
    }
    opening.isAnnounced = true
    return changes
  }

  /// Takes the first message with a text out of the queue.
  mutating func takeFromQueue(text: String) -> QueuedMessage? {
    let text = text.head(bytes: TurnActivity.queuedTextLimit)
    return activity.queue.firstIndex { $0.text == text }.map { activity.queue.remove(at: $0) }
  }

  private static func bounded(_ message: QueuedMessage) -> QueuedMessage {
    QueuedMessage(
      id: message.id.head(bytes: 200),
      kind: message.kind,
      text: message.text.head(bytes: TurnActivity.queuedTextLimit)
    )
  }

  // MARK: - Lines of status

  mutating func setStatus(_ key: String, _ text: String?) -> [ActivityChange] {
    let key = key.head(bytes: 100)
    let text = text?.head(bytes: 1024)
    let index = activity.statuses.firstIndex { $0.key == key }
    switch (index, text) {
    case (nil, nil): return []
    case (nil, let text?):
      guard activity.statuses.count < TurnActivity.companionLimit else { return [] }
      activity.statuses.append(ExtensionStatus(key: key, text: text))
    case (let index?, nil): activity.statuses.remove(at: index)
    case (let index?, let text?):
      guard activity.statuses[index].text != text else { return [] }
      activity.statuses[index].text = text
    }
    return [.statusChanged(key: key, text: text)]
  }
}
