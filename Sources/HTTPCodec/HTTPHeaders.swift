// SPDX-License-Identifier: MIT

/// The header fields of a message, in order (RFC 9110 section 5).
///
/// Names keep their case, but comparisons ignore the case of ASCII letters.
public struct HTTPHeaders: Sendable {
  /// All fields, in order; a name may occur several times.
  public private(set) var fields: [(name: String, value: String)]

  /// Creates headers from fields in order.
  public init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// The first value of a name; nil if there is none.
  public subscript(name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// Returns the elements of the comma-separated lists in all fields of a name.
  ///
  /// Surrounding whitespace and empty elements are removed. A comma in quotes also separates.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }
      .flatMap { $0.value.utf8.split(separator: UInt8(ascii: ",")) }
      .map { String(Substring($0.trimmed)) }
      .filter { !$0.isEmpty }
  }

  /// Appends a field.
  public mutating func append(name: String, value: String) {
    fields.append((name, value))
  }
}

extension HTTPHeaders: Equatable {
  /// Compares the fields, including their order and the case of names.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==)
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from fields in order.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders {
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
