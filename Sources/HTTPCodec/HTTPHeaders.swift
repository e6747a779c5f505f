// SPDX-License-Identifier: MIT

/// The header fields of a message, in their order (RFC 9110 section 5).
///
/// Names are kept as written and compared without regard to the case of ASCII letters.
public struct HTTPHeaders: Sendable {
  /// Every field, in order; a name may come more than once.
  public private(set) var fields: [(name: String, value: String)]

  /// Makes headers of fields in their order.
  public init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// The first value under a name, nil when there is none.
  public subscript(name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// Returns the members of the comma-separated lists under a name, over all its fields.
  ///
  /// Space around members and empty members are dropped. A comma inside quotes also separates.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }
      .flatMap { $0.value.utf8.split(separator: UInt8(ascii: ",")) }
      .map { String(Substring($0.trimmed)) }
      .filter { !$0.isEmpty }
  }

  /// Adds a field at the end.
  public mutating func append(name: String, value: String) {
    fields.append((name, value))
  }
}

extension HTTPHeaders: Equatable {
  /// Compares the fields with their order and the case of their names.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==)
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers of the literal's fields in their order.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders {
  /// Appends the field lines, with the codec's own framing field, and the empty line after them.
  ///
  /// A caller's field that frames the body is refused, so that two lengths can never disagree.
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
