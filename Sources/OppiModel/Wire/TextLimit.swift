// SPDX-License-Identifier: MIT

/// Length limits for a server's text: longer texts are cut when they are read.
package enum TextLimit: Sendable {
  /// An id, a name or a keyword of the protocol.
  case name
  /// A sentence: a reason, an error or a notification.
  case sentence
  /// A message or output: as much as a protocol message can contain.
  case content

  /// In UTF-8.
  var bytes: Int {
    switch self {
    case .name: 1 << 10
    case .sentence: 16 << 10
    case .content: 16 << 20
    }
  }
}

extension JSONValue {
  /// Returns the start of a server's text within a limit; `nil` for any other kind of value.
  ///
  /// All protocol types read text with this method.
  package func text(_ limit: TextLimit) -> String? { string?.head(bytes: limit.bytes) }

  /// An id that is valid in a request path; `nil` for any other value.
  package var wireID: String? { string.flatMap { WireID.isValid($0) ? $0 : nil } }

  /// The text on one line, limited and safe to show; `nil` for any other kind of value.
  func line(_ limit: Int) -> String? { string?.safeLine(limit: limit) }

  /// The number, or 0 if negative; `nil` for any other kind of value.
  var count: Int? { int.map { max(0, $0) } }
}

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

extension Substring {
  func head(bytes limit: Int) -> String {
    guard var end = utf8.index(startIndex, offsetBy: Swift.max(0, limit), limitedBy: endIndex),
      end < endIndex
    else { return String(self) }
    while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension String {
  /// Returns the longest prefix of at most `limit` bytes of UTF-8, cut between scalars.
  package func head(bytes limit: Int) -> String {
    utf8.count > limit ? self[...].head(bytes: limit) : self
  }

  /// Returns the longest suffix of at most `limit` bytes of UTF-8, cut between scalars.
  package func tail(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var start = utf8.index(endIndex, offsetBy: -max(0, limit))
    while start < endIndex, isInsideScalar(start) { start = utf8.index(after: start) }
    return String(self[start...])
  }

  var lineFeedCount: Int {
    let bytes = utf8Span.span
    var count = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { count += 1 }
    return count
  }

  /// The number of lines, including a last line without a line feed.
  var lineCount: Int {
    lineFeedCount + (isEmpty || utf8.last == UInt8(ascii: "\n") ? 0 : 1)
  }

  private func isInsideScalar(_ index: Index) -> Bool {
    utf8[index] & 0b1100_0000 == 0b1000_0000
  }
}
