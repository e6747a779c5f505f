// SPDX-License-Identifier: MIT

/// A recursive-descent parser for JSON (RFC 8259) and JSON5.
///
/// It is lenient where the protocol requires it: a lone surrogate escape and invalid UTF-8 become
/// U+FFFD, and of two members with the same name the last one counts.
struct JSONParser {
  enum Dialect {
    case json
    /// With comments, trailing commas, unquoted names and single quotes: files edited by hand.
    case json5
  }

  /// Deeper nesting is rejected, so that a malicious text cannot exhaust the stack.
  static let depthLimit = 256

  /// The limit of values is this number plus one per `bytesPerValue` bytes of text: a value takes
  /// more memory than it may take in a text, such as the `1,` of a long list.
  private static let freeValues = 100_000
  private static let bytesPerValue = 20
  private static let mostValues = 300_000

  let bytes: [UInt8]
  let dialect: Dialect
  var position = 0
  private var valuesLeft: Int
  /// The member of the whole object whose elements are passed on instead of kept.
  private var list: (name: String, take: (JSONValue) -> Void)?

  init(_ bytes: [UInt8], dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
    valuesLeft = min(Self.freeValues + bytes.count / Self.bytesPerValue, Self.mostValues)
  }

  /// Parses the whole text as one value, and passes on the elements of one of its lists.
  mutating func document(
    list name: String,
    _ take: @escaping (JSONValue) -> Void
  ) throws(JSONError) -> JSONValue {
    list = (name, take)
    return try document()
  }

  /// Parses the whole text as one value.
  mutating func document() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    try skipSpace()
    guard position == bytes.count else { throw error(.trailingText) }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.depthLimit else { throw error(.tooDeep) }
    try skipSpace()
    guard let byte = peek else { throw error(.unexpectedEnd) }
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw error(.tooManyValues) }
    switch byte {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string(quote: byte))
    case UInt8(ascii: "'") where dialect == .json5: return .string(try string(quote: byte))
    case UInt8(ascii: "t") where take("true"): return .bool(true)
    case UInt8(ascii: "f") where take("false"): return .bool(false)
    case UInt8(ascii: "n") where take("null"): return .null
    default: return try number()
    }
  }

  /// Enough for most objects of the protocol.
  private static let usualMembers = 4

  private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
    var members: [JSONObject.Element] = []
    position += 1
    while try !closes(with: "}", first: members.isEmpty) {
      if members.isEmpty { members.reserveCapacity(Self.usualMembers) }
      let name = try memberName()
      try skipSpace()
      guard peek == UInt8(ascii: ":") else { throw error(.unexpectedCharacter) }
      position += 1
      if depth == 0, let list, list.name == name, try passOn(list.take) {
        members.append((name, []))
      } else {
        members.append((name, try value(depth: depth + 1)))
      }
    }
    return JSONObject(members)
  }

  /// Passes on the elements of the list at the current position; false if there is none.
  ///
  /// Their memory is free again, so that each has the limit of a whole text.
  private mutating func passOn(_ take: (JSONValue) -> Void) throws(JSONError) -> Bool {
    try skipSpace()
    guard peek == UInt8(ascii: "[") else { return false }
    position += 1
    let left = valuesLeft
    var isFirst = true
    while try !closes(with: "]", first: isFirst) {
      isFirst = false
      take(try value(depth: 2))
      valuesLeft = left
    }
    return true
  }

  /// The range of a member with its name, and that of its value alone.
  typealias MemberRanges = (whole: Range<Int>, value: Range<Int>)

  /// Finds all members with a name in the object at the current position.
  mutating func places(ofMember name: String) throws(JSONError) -> [MemberRanges] {
    guard peek == UInt8(ascii: "{") else { throw error(.unexpectedCharacter) }
    position += 1
    var found: [MemberRanges] = []
    var isFirst = true
    while try !closes(with: "}", first: isFirst) {
      isFirst = false
      let nameStart = position
      let isWanted = try memberName() == name
      try skipSpace()
      position += 1
      try skipSpace()
      let start = position
      _ = try value(depth: 1)
      if isWanted { found.append((nameStart..<position, start..<position)) }
    }
    return found
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    position += 1
    while try !closes(with: "]", first: elements.isEmpty) {
      elements.append(try value(depth: depth + 1))
    }
    return elements
  }

  /// Skips the comma between elements; returns true at the closing bracket.
  private mutating func closes(
    with bracket: Unicode.Scalar,
    first: Bool
  ) throws(JSONError) -> Bool {
    try skipSpace()
    if peek == UInt8(ascii: bracket) {
      position += 1
      return true
    }
    if first { return false }
    guard peek == UInt8(ascii: ",") else {
      throw error(peek == nil ? .unexpectedEnd : .unexpectedCharacter)
    }
    position += 1
    try skipSpace()
    guard dialect == .json5, peek == UInt8(ascii: bracket) else { return false }
    position += 1
    return true
  }

  private mutating func memberName() throws(JSONError) -> String {
    guard let byte = peek else { throw error(.unexpectedEnd) }
    if byte == UInt8(ascii: "\"") { return try string(quote: byte) }
    guard dialect == .json5 else { throw error(.unexpectedCharacter) }
    if byte == UInt8(ascii: "'") { return try string(quote: byte) }
    let start = position
    while let byte = peek, Self.isNameByte(byte) { position += 1 }
    guard position > start else { throw error(.unexpectedCharacter) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "_$".utf8.contains(byte) || byte >= 0x80
  }
}

// MARK: - Reading bytes

extension JSONParser {
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason, at: position, in: bytes)
  }

  mutating func take(_ word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for index in position..<end where bytes[index] != word.utf8Start[index - position] {
      return false
    }
    position = end
    return true
  }

  mutating func skipSpace() throws(JSONError) {
    while let byte = peek {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case UInt8(ascii: "/") where dialect == .json5: try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(JSONError) {
    if take("//") {
      while let byte = peek, byte != UInt8(ascii: "\n") { position += 1 }
    } else if take("/*") {
      while !take("*/") {
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        position += 1
      }
    } else {
      throw error(.unexpectedCharacter)
    }
  }
}

package struct JSONError: Error, Equatable {
  package enum Reason: Sendable, Equatable {
    case unexpectedEnd
    case unexpectedCharacter
    case invalidNumber
    case invalidEscape
    case unterminatedString
    case tooDeep
    /// The values would take far more memory than the text.
    case tooManyValues
    case trailingText
  }

  package let reason: Reason
  /// The line of the first offending byte, counted from 1.
  package let line: Int
  /// The column of that byte, in bytes, counted from 1.
  package let column: Int

  init(_ reason: Reason, at offset: Int, in bytes: [UInt8]) {
    self.reason = reason
    let before = bytes[..<min(offset, bytes.count)]
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    column = before.count - lineStart + 1
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    let text =
      switch reason {
      case .unexpectedEnd: "unexpected end"
      case .unexpectedCharacter: "unexpected character"
      case .invalidNumber: "invalid number"
      case .invalidEscape: "invalid escape"
      case .unterminatedString: "unterminated string"
      case .tooDeep: "nested too deeply"
      case .tooManyValues: "too many values"
      case .trailingText: "text after the value"
      }
    return "\(text) at line \(line), column \(column)"
  }
}
