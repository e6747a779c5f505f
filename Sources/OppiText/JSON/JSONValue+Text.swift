// SPDX-License-Identifier: MIT

extension JSONValue {
  /// Parses strict JSON (RFC 8259); lone surrogates and invalid UTF-8 become U+FFFD.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes, dialect: .json)
    self = try parser.document()
  }

  /// Parses an object, and passes on the elements of one of its lists, which is empty in the object.
  ///
  /// A long list is never in memory as a whole.
  package init(
    parsing bytes: [UInt8],
    list name: String,
    _ take: @escaping (JSONValue) -> Void
  ) throws(JSONError) {
    var parser = JSONParser(bytes, dialect: .json)
    self = try parser.document(list: name, take)
  }

  /// Parses JSON5, the format of files edited by hand.
  package init(parsingJSON5 bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes, dialect: .json5)
    self = try parser.document()
  }

  package enum Layout: Sendable {
    /// On one line, without spaces.
    case compact
    /// With two spaces per level, for files that users read.
    case indented
  }

  /// Returns the value as JSON text with sorted member names.
  ///
  /// Characters that could control a terminal or reorder its text (controls, format characters,
  /// line separators) are always escaped. With `escapingNonASCII`, all other non-ASCII characters
  /// are escaped too: the server decodes each piece of a request body separately and damages a
  /// character that is split between two pieces.
  package func text(_ layout: Layout = .compact, escapingNonASCII: Bool = false) -> String {
    String(decoding: bytes(layout, escapingNonASCII: escapingNonASCII), as: UTF8.self)
  }

  /// A string as its text, any other value as indented JSON.
  package var ownText: String { string ?? text(.indented) }

  package func bytes(_ layout: Layout = .compact, escapingNonASCII: Bool = false) -> [UInt8] {
    var writer = JSONWriter(layout: layout, escapesNonASCII: escapingNonASCII)
    writer.write(self, depth: 0)
    return writer.bytes
  }

  /// The size of a string's compact JSON text in bytes, without its quotation marks; makes no copy
  /// of the text.
  package static func size(ofContent text: String) -> Int {
    guard !text.utf8.allSatisfy(JSONWriter.isPlain) else { return text.utf8.count }
    var writer = JSONWriter(layout: .compact, escapesNonASCII: false)
    return text.unicodeScalars.reduce(0) { size, scalar in
      writer.bytes.removeAll(keepingCapacity: true)
      writer.write(scalar)
      return size + writer.bytes.count
    }
  }
}

private struct JSONWriter {
  let layout: JSONValue.Layout
  let escapesNonASCII: Bool
  var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .integer(let number): append(String(number))
    case .double(let number): append(number.isFinite ? String(number) : "null")
    case .string(let text): write(text)
    case .array(let elements):
      write(elements, brackets: ("[", "]"), depth: depth) { writer, element in
        writer.write(element, depth: depth + 1)
      }
    case .object(let members):
      let sorted = members.sorted { $0.key < $1.key }
      write(sorted, brackets: ("{", "}"), depth: depth) { writer, member in
        writer.write(member.key)
        writer.append(writer.layout == .indented ? ": " : ":")
        writer.write(member.value, depth: depth + 1)
      }
    }
  }

  private mutating func write<Element>(
    _ elements: [Element],
    brackets: (String, String),
    depth: Int,
    each: (inout JSONWriter, Element) -> Void
  ) {
    append(brackets.0)
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      breakLine(depth: depth + 1)
      each(&self, element)
    }
    if !elements.isEmpty { breakLine(depth: depth) }
    append(brackets.1)
  }

  private mutating func breakLine(depth: Int) {
    guard layout == .indented else { return }
    append("\n" + String(repeating: "  ", count: depth))
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func write(_ text: String) {
    append("\"")
    defer { append("\"") }
    guard !text.utf8.allSatisfy(Self.isPlain) else { return append(text) }
    for scalar in text.unicodeScalars { write(scalar) }
  }

  /// Writes a character of a string.
  mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\t": append("\\t")
    case "\r": append("\\r")
    case " "..."~": bytes.append(UInt8(ascii: scalar))
    case _ where escapesNonASCII || !scalar.isPrintable:
      for unit in String(scalar).utf16 { write(escaped: unit) }
    default: append(String(scalar))
    }
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func write(escaped unit: UInt16) {
    let digits = String(unit, radix: 16)
    append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
  }
}
