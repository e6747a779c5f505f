// SPDX-License-Identifier: MIT

/// Changes one value in the text of a JSON5 file and leaves everything else as its author wrote it.
package enum JSON5Edit {
  /// Returns the text with the value at a path of names, which is added where it is missing.
  ///
  /// - Parameters:
  ///   - path: The names that lead to the value, one or more.
  ///   - value: The new value.
  ///   - text: A JSON5 object; empty for a new file.
  /// - Returns: The changed text.
  /// - Throws: Where the text is not JSON5.
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
      text.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ? Array("{\n}\n".utf8) : text
    _ = try JSONValue(parsingJSON5: text)
    var parser = JSONParser(text, dialect: .json5)
    try parser.skipSpace()
    for (depth, name) in path.enumerated() {
      let object = parser.position
      guard let range = try parser.valueRange(ofMember: name) else {
        return insert(path[depth...], value, at: object + 1, depth: depth, into: text)
      }
      let isLast = depth == path.count - 1
      guard !isLast, text[range.lowerBound] == UInt8(ascii: "{") else {
        let rest = isLast ? value : nest(path[(depth + 1)...], value)
        return Array(text[..<range.lowerBound] + rest.text().utf8 + text[range.upperBound...])
      }
      parser.position = range.lowerBound
    }
    return text
  }

  /// Some editors put it before every text in UTF-8.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func nest(_ path: ArraySlice<String>, _ value: JSONValue) -> JSONValue {
    path.reversed().reduce(value) { .object([$1: $0]) }
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
    let member = JSONValue.string(name).text() + ": " + nest(path.dropFirst(), value).text()
    return Array(text[..<position] + "\n\(indentation)\(member),".utf8 + text[position...])
  }
}
