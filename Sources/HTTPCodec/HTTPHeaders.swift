// SPDX-License-Identifier: MIT

/// The header fields of a message, in order (RFC 9110 section 5).
///
/// Names keep their case, but comparisons ignore the case of ASCII letters.
package struct HTTPHeaders: Sendable {
  /// All fields, in order; a name may occur several times.
  package private(set) var fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// The first value of a name; nil if there is none.
  package subscript(name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// Returns the elements of the comma-separated lists in all fields of a name.
  ///
  /// Surrounding whitespace and empty elements are removed. A comma in quotes also separates.
  package func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }
      .flatMap { $0.value.utf8.split(separator: UInt8(ascii: ",")) }
      .map { String(Substring($0.trimmed)) }
      .filter { !$0.isEmpty }
  }

  /// Whether a comma-separated list contains a word, whose case is ignored.
  package func hasToken(_ token: String, in name: String) -> Bool {
    values(of: name).contains { $0.equalsIgnoringCase(token) }
  }

  package mutating func append(name: String, value: String) {
    fields.append((name, value))
  }

  /// Appends the field lines, the framing field of the codec and the empty line.
  ///
  /// Throws if the fields already frame the body, so that lengths cannot conflict.
  func encode(
    framing: (name: String, value: String)?,
    into output: inout [UInt8]
  ) throws(HTTPEncodingError) {
    for (name, value) in fields {
      guard name.utf8.isToken else { throw .invalidHeaderName }
      guard value.utf8.allSatisfy(\.isFieldText) else { throw .invalidHeaderValue }
    }
    guard self["Content-Length"] == nil, self["Transfer-Encoding"] == nil else {
      throw .framingHeader
    }
    var lines = fields
    if let framing { lines.append(framing) }
    for (name, value) in lines {
      output += "\(name): \(value)\r\n".utf8
    }
    output += "\r\n".utf8
  }
}

extension HTTPHeaders: Equatable {
  /// Compares the fields, including their order and the case of names.
  package static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==)
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}

/// Parses field lines up to the empty line: the headers or the trailers of a message.
struct FieldSection: Sendable {
  private(set) var headers = HTTPHeaders()
  /// For all lines together, including line ends.
  private var bytesLeft: Int
  private var linesLeft: Int
  private let tooLarge: HTTPError

  private init(_ maxBytes: Int, _ limits: HTTPLimits, tooLarge: HTTPError) {
    (bytesLeft, linesLeft, self.tooLarge) = (maxBytes, limits.headerLines, tooLarge)
  }

  /// The section may begin with a first line, whose size counts too.
  static func head(_ limits: HTTPLimits) -> FieldSection {
    FieldSection(limits.headBytes, limits, tooLarge: .headTooLarge)
  }

  static func trailers(_ limits: HTTPLimits) -> FieldSection {
    FieldSection(limits.trailerBytes, limits, tooLarge: .trailersTooLarge)
  }

  /// Takes one line without its end; the carriage return is optional (RFC 9112 section 2.2).
  mutating func takeLine(
    from input: inout InputBuffer
  ) throws(HTTPError) -> ArraySlice<UInt8>? {
    guard let line = try input.takeLine(atMost: bytesLeft, orThrow: tooLarge) else { return nil }
    bytesLeft -= line.count
    let text = line.dropLast()
    return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
  }

  /// Consumes the available lines; returns whether the section is complete.
  mutating func read(from input: inout InputBuffer) throws(HTTPError) -> Bool {
    while let line = try takeLine(from: &input) {
      guard !line.isEmpty else { return true }
      guard linesLeft > 0 else { throw .tooManyHeaders }
      linesLeft -= 1
      try append(line)
    }
    return false
  }

  private mutating func append(_ line: ArraySlice<UInt8>) throws(HTTPError) {
    guard line.first?.isBlank == false else { throw .obsoleteFolding }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .headerWithoutColon }
    let name = line[..<colon]
    let value = line[(colon + 1)...].trimmed
    guard name.last?.isBlank != true else { throw .spaceBeforeColon }
    guard name.isToken else { throw .invalidHeaderName }
    guard value.allSatisfy(\.isFieldText) else { throw .invalidHeaderValue }
    headers.append(
      name: String(decoding: name, as: UTF8.self),
      value: String(decoding: value, as: UTF8.self)
    )
  }
}
