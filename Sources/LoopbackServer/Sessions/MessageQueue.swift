// SPDX-License-Identifier: MIT

import OppiModel

/// The messages that wait behind a running turn.
struct MessageQueue {
  /// Where a message waits: for the end of the tool calls, or of the whole run.
  enum Kind: String {
    case steer
    case followUp = "follow_up"
  }

  struct Item {
    let id: String
    let message: String
    let createdAt: Timestamp

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
