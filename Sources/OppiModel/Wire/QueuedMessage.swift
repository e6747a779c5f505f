// SPDX-License-Identifier: MIT

/// A user message in the server's queue behind a running turn.
package struct QueuedMessage: Sendable, Equatable, Identifiable {
  package enum Kind: Sendable, Equatable {
    /// It is sent to the running turn.
    case steer
    /// It starts a turn of its own.
    case followUp
  }

  /// The id that its sender gave the turn.
  package let id: String
  package var kind: Kind
  package var text: String
}

extension QueuedMessage {
  /// Reads the server's object; `nil` if it has no id.
  init?(json: JSONValue, kind: Kind) {
    guard let id = json["id"].text(.name) else { return nil }
    self.init(id: id, kind: kind, text: json["message"].text(.content) ?? "")
  }

  static func all(in queue: JSONValue) -> [QueuedMessage] {
    let kinds: [(name: String, kind: Kind)] = [("steering", .steer), ("followUp", .followUp)]
    return kinds.flatMap { name, kind in
      (queue[name].array ?? []).compactMap { QueuedMessage(json: $0, kind: kind) }
    }
  }
}
