// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The messages that wait behind a running turn.
struct MessageQueue {
  /// Where a message waits: for the end of the tool calls, or of the whole run.
  enum Kind: String {
    case steer
    case followUp = "follow_up"
  }

  struct Item: Sendable {
    let id: String
    let message: String
    /// The id that the client gave to the turn, where it gave one.
    let clientTurnID: String?
    let createdAt: Timestamp

    /// Makes an item, which gets the id of its turn.
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

  /// Counts the changes.
  private(set) var version = 0
  private var steering: [Item] = []
  private var followUps: [Item] = []

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

  /// Takes the message whose turn it is, steers before follow-ups.
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
