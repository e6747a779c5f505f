// SPDX-License-Identifier: MIT

/// Length limits for a server's text, in bytes of UTF-8: longer texts are cut when they are read.
package enum TextLimit: Int, Sendable {
  /// An id, a name or a keyword of the protocol.
  case name = 1024
  /// A sentence: a reason, an error or a notification.
  case sentence = 16_384
  /// A message or output: as much as a protocol message can contain.
  case content = 16_777_216
}

extension JSONValue {
  /// Returns the start of a server's text within a limit; `nil` for any other kind of value.
  ///
  /// All protocol types read text with this method.
  package func text(_ limit: TextLimit) -> String? { string?.head(bytes: limit.rawValue) }

  /// The text on one line, limited and safe to show; `nil` for any other kind of value.
  package func line(_ limit: Int) -> String? { string?.safeLine(limit: limit) }

  /// The number, or 0 if negative; `nil` for any other kind of value.
  package var count: Int? { int.map { max(0, $0) } }
}

extension JSONValue {
  /// Returns the value cut to about `limit` bytes of text; the last members of objects go first.
  ///
  /// Equal values stay equal.
  package func bounded(bytes limit: Int) -> JSONValue {
    var room = limit
    return bounded(room: &room)
  }

  private func bounded(room: inout Int) -> JSONValue {
    switch self {
    case .null, .bool, .integer, .double:
      room -= 8
      return self
    case .string(let text):
      let kept = text.head(bytes: max(0, room))
      room -= kept.utf8.count + 8
      return .string(kept)
    case .array(let elements):
      var kept: [JSONValue] = []
      for element in elements where room > 0 { kept.append(element.bounded(room: &room)) }
      return .array(kept)
    case .object(let members):
      var kept: [JSONObject.Element] = []
      for (name, value) in members.sorted(by: { $0.key < $1.key }) where room > 0 {
        room -= name.utf8.count
        kept.append((name, value.bounded(room: &room)))
      }
      return .object(JSONObject(kept))
    }
  }
}
