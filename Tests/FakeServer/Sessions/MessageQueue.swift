// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The messages queued behind a running turn.
struct MessageQueue {
  /// When a message is delivered: after the tool calls, or after the whole run.
  enum Kind: String {
    case steer
    case followUp = "follow_up"
  }

  struct Item: Sendable {
    let id: String
    let message: String
    /// The turn's ID if the client sent one.
    let clientTurnID: String?
    let createdAt: Timestamp

    /// Creates an item with the ID of its turn.
    init(message: String, clientTurnID: String? = nil, on loop: EventLoop) {
      self.message = message
      self.clientTurnID = clientTurnID
      id = clientTurnID ?? loop.makeID(.long)
      createdAt = loop.timestamp
    }

    var json: JSONValue {
      ["id": .string(id), "message": .string(message), "createdAt": createdAt.json]
    }
  }

  private(set) var version = 0
  private var steering: [Item] = []
  private var followUps: [Item] = []

  /// The messages in the order of their delivery.
  var items: [Item] { steering + followUps }
  var isEmpty: Bool { steering.isEmpty && followUps.isEmpty }
  var hasSteering: Bool { !steering.isEmpty }

  mutating func append(_ item: Item, as kind: Kind) {
    version += 1
    switch kind {
    case .steer: steering.append(item)
    case .followUp: followUps.append(item)
    }
  }

  mutating func remove(_ id: String) {
    version += 1
    steering.removeAll { $0.id == id }
    followUps.removeAll { $0.id == id }
  }

  mutating func removeAll() {
    version += 1
    steering = []
    followUps = []
  }

  /// Removes and returns the next message; steering messages come first.
  mutating func next() -> (kind: Kind, item: Item)? {
    guard !isEmpty else { return nil }
    version += 1
    return steering.isEmpty
      ? (.followUp, followUps.removeFirst()) : (.steer, steering.removeFirst())
  }

  var json: JSONValue {
    [
      "version": .number(version),
      "steering": .array(steering.map(\.json)),
      "followUp": .array(followUps.map(\.json)),
    ]
  }
}
