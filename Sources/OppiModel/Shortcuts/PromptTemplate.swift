// SPDX-License-Identifier: MIT

/// A prompt in which `{{name}}` stands for something that is only known when it is sent.
///
/// A name is a letter or `_` with letters, digits, `_` and `-` behind it, with or without spaces
/// around it; any other braces are text. Values are put in once, as text: what looks like a name in
/// a value stays as it is.
package struct PromptTemplate: Sendable, Hashable {
  /// The name of what comes over standard input.
  package static let input = "input"
  /// The most characters of a name.
  package static let nameLimit = 64
  /// The most characters of a value.
  package static let valueLimit = 4096

  private enum Piece: Sendable, Hashable {
    case text(String)
    case variable(String)
  }

  /// Why a prompt cannot be made.
  package enum Failure: Error, Equatable {
    /// Names that have no value, in their order.
    case missing([String])
    /// Values for names that the prompt does not have, sorted.
    case unknown([String])
  }

  private let pieces: [Piece]

  package init(_ text: String) {
    var pieces: [Piece] = []
    var plain = ""
    var rest = text[...]
    while let open = rest.range(ofTwo: "{") {
      plain += rest[..<open.lowerBound]
      let behind = rest[open.upperBound...]
      guard let (name, end) = Self.name(at: behind) else {
        // The second brace may open a name with the one behind it.
        plain += "{"
        rest = rest[rest.index(after: open.lowerBound)...]
        continue
      }
      if !plain.isEmpty { pieces.append(.text(plain)) }
      plain = ""
      pieces.append(.variable(name))
      rest = behind[end...]
    }
    plain += rest
    if !plain.isEmpty { pieces.append(.text(plain)) }
    self.pieces = pieces
  }

  /// The name that begins behind two braces, and the place behind the two that end it.
  private static func name(at text: Substring) -> (String, String.Index)? {
    let head = text.prefix(nameLimit + 32)
    guard let close = head.range(ofTwo: "}") else { return nil }
    let inner = head[..<close.lowerBound].drop { $0 == " " }
    let name = inner.prefix { $0 != " " }
    guard inner.dropFirst(name.count).allSatisfy({ $0 == " " }), isName(name) else { return nil }
    return (String(name), close.upperBound)
  }

  /// Whether a text can be the name of a variable.
  package static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= nameLimit else { return false }
    return (first.isASCIILetter || first == UInt8(ascii: "_"))
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
  }

  /// The names that the prompt has, each once, in their order.
  package var names: [String] {
    var seen: Set<String> = []
    return pieces.compactMap { piece in
      guard case .variable(let name) = piece, seen.insert(name).inserted else { return nil }
      return name
    }
  }

  /// The prompt with values in the places of the names.
  ///
  /// - Parameters:
  ///   - values: The values that were given; each must be of use.
  ///   - defaults: What counts where none was given.
  /// - Returns: The prompt.
  /// - Throws: ``Failure``, where a value is missing before where one is of no use.
  package func filled(
    with values: [String: String],
    defaults: [String: String] = [:]
  ) throws(Failure) -> String {
    let names = names
    let missing = names.filter { values[$0] == nil && defaults[$0] == nil }
    guard missing.isEmpty else { throw .missing(missing) }
    let unknown = values.keys.filter { !names.contains($0) }
    guard unknown.isEmpty else { throw .unknown(unknown.sorted()) }
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .variable(let name): values[name] ?? defaults[name] ?? ""
      }
    }
    .joined()
  }
}

extension Substring {
  /// Where a brace stands twice, one right behind the other, for the first time.
  fileprivate func range(ofTwo brace: Unicode.Scalar) -> Range<Index>? {
    let byte = UInt8(ascii: brace)
    var start = utf8.startIndex
    while let first = utf8[start...].firstIndex(of: byte) {
      let second = utf8.index(after: first)
      guard second < utf8.endIndex else { return nil }
      if utf8[second] == byte { return first..<utf8.index(after: second) }
      start = second
    }
    return nil
  }
}
