// SPDX-License-Identifier: MIT

extension JSONValue {
  /// Returns the value cut to about `limit` bytes of text; the last members of objects go first.
  ///
  /// Equal values stay equal.
  func bounded(bytes limit: Int) -> JSONValue {
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
