// SPDX-License-Identifier: MIT

/// Sets or removes one value in the text of a JSON5 file and keeps everything else unchanged.
package enum JSON5Edit {
  /// Returns the text with a value set; missing members are added.
  ///
  /// - Parameters:
  ///   - path: The member names that lead to the value, at least one.
  ///   - value: The new value.
  ///   - text: A JSON5 object; empty for a new file.
  /// - Returns: The changed text.
  /// - Throws: If the text is not JSON5.
  package static func set(
    _ path: [String],
    to value: JSONValue,
    in text: [UInt8]
  ) throws(JSONError) -> [UInt8] {
    guard !text.starts(with: byteOrderMark) else {
      let rest = Array(text[byteOrderMark.count...])
      return byteOrderMark + (try set(path, to: value, in: rest))
    }
    let text =
      text.allSatisfy(isSpace) ? Array("{\n}\n".utf8) : text
    _ = try JSONValue(parsingJSON5: text)
    var parser = JSONParser(text, dialect: .json5)
    try parser.skipSpace()
    for (depth, name) in path.enumerated() {
      let object = parser.position
      guard let range = try parser.places(ofMember: name).last?.value else {
        return insert(path[depth...], value, at: object + 1, depth: depth, into: text)
      }
      let isLast = depth == path.count - 1
      guard !isLast, text[range.lowerBound] == UInt8(ascii: "{") else {
        let rest = nest(path[(depth + 1)...], value, depth: depth + 1)
        return Array(text[..<range.lowerBound] + rest.utf8 + text[range.upperBound...])
      }
      parser.position = range.lowerBound
    }
    return text
  }

  /// Returns the text without a value; the same text if the value does not exist.
  ///
  /// - Parameters:
  ///   - path: The member names that lead to the value, at least one.
  ///   - text: A JSON5 object; empty for a missing file.
  /// - Returns: The changed text, without a line that contained only the value.
  /// - Throws: If the text is not JSON5.
  package static func remove(_ path: [String], from text: [UInt8]) throws(JSONError) -> [UInt8] {
    guard !text.allSatisfy(isSpace), let last = path.last else { return text }
    _ = try JSONValue(parsingJSON5: text)
    var parser = JSONParser(text, dialect: .json5)
    if text.starts(with: byteOrderMark) { parser.position = byteOrderMark.count }
    try parser.skipSpace()
    for name in path.dropLast() {
      guard let range = try parser.places(ofMember: name).last?.value,
        text[range.lowerBound] == UInt8(ascii: "{")
      else { return text }
      parser.position = range.lowerBound
    }
    var kept: [UInt8] = []
    var end = 0
    for place in try parser.places(ofMember: last) {
      for cut in try cuts(for: place.whole, in: text) {
        kept += text[end..<max(end, cut.lowerBound)]
        end = max(end, cut.upperBound)
      }
    }
    return kept + text[end...]
  }

  /// The ranges of a member and the comma after it, or its whole line if nothing else is on it.
  private static func cuts(
    for member: Range<Int>,
    in text: [UInt8]
  ) throws(JSONError) -> [Range<Int>] {
    var parser = JSONParser(text, dialect: .json5)
    parser.position = member.upperBound
    try parser.skipSpace()
    let comma = parser.position
    guard text[comma] == UInt8(ascii: ",") else { return [member] }
    // The text before the comma is either a comment or space.
    let between = text[member.upperBound..<comma]
    guard between.allSatisfy(isSpace) else { return [member, comma..<comma + 1] }
    let start = text[..<member.lowerBound].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
    let end = text[(comma + 1)...].firstIndex { !isBlank($0) } ?? text.count
    let isOwnLine =
      start > 0 && text[start - 1] == newline && end < text.count && text[end] == newline
    return [isOwnLine ? start..<end + 1 : member.lowerBound..<end]
  }

  private static let newline = UInt8(ascii: "\n")

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Some editors write it at the start of UTF-8 files.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The value inside one object per name, each on its own lines.
  private static func nest(
    _ path: ArraySlice<String>,
    _ value: JSONValue,
    depth: Int
  ) -> String {
    guard let name = path.first else { return value.text() }
    let indentation = String(repeating: "  ", count: depth)
    let rest = nest(path.dropFirst(), value, depth: depth + 1)
    return "{\n\(indentation)  \(JSONValue.string(name).text()): \(rest),\n\(indentation)}"
  }

  private static func insert(
    _ path: ArraySlice<String>,
    _ value: JSONValue,
    at position: Int,
    depth: Int,
    into text: [UInt8]
  ) -> [UInt8] {
    guard let name = path.first else { return text }
    let indentation = String(repeating: "  ", count: depth + 1)
    let rest = nest(path.dropFirst(), value, depth: depth + 1)
    let member = "\(JSONValue.string(name).text()): \(rest)"
    return Array(text[..<position] + "\n\(indentation)\(member),".utf8 + text[position...])
  }
}
