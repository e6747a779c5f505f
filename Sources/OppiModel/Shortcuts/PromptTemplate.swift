// SPDX-License-Identifier: MIT

import OppiText

/// A prompt with placeholders `{{name}}`, which are replaced when it is sent.
///
/// A name is a letter or `_` followed by letters, digits, `_` and `-`, with optional spaces around
/// it; any other braces are text. Values are inserted once, as text: a placeholder in a value is
/// not replaced.
package struct PromptTemplate: Sendable, Hashable {
  /// The placeholder for standard input.
  package static let input = "input"
  /// The maximum number of characters of a name.
  package static let nameLimit = 64
  /// The maximum number of characters of a value.
  package static let valueLimit = 4096

  private enum Piece: Sendable, Hashable {
    case text(String)
    case variable(String)
  }

  package enum Failure: Error, Equatable {
    /// Names without a value, in order.
    case missing([String])
    /// Values without a placeholder, sorted by name.
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
        // The second brace may start a placeholder together with the next one.
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

  /// The name after two opening braces, and the index after the two closing ones.
  private static func name(at text: Substring) -> (String, String.Index)? {
    let head = text.prefix(nameLimit + 32)
    guard let close = head.range(ofTwo: "}") else { return nil }
    let inner = head[..<close.lowerBound].drop { $0 == " " }
    let name = inner.prefix { $0 != " " }
    guard inner.dropFirst(name.count).allSatisfy({ $0 == " " }), isName(name) else { return nil }
    return (String(name), close.upperBound)
  }

  package static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= nameLimit else { return false }
    return (first.isASCIILetter || first == UInt8(ascii: "_"))
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
  }

  /// The names in the prompt, each once, in order.
  package var names: [String] {
    var seen: Set<String> = []
    return pieces.compactMap { piece in
      guard case .variable(let name) = piece, seen.insert(name).inserted else { return nil }
      return name
    }
  }

  /// Returns the prompt with the placeholders replaced.
  ///
  /// - Parameters:
  ///   - values: The given values; each must have a placeholder.
  ///   - defaults: Values for names that are not given.
  /// - Returns: The prompt.
  /// - Throws: ``Failure``; missing values are reported before unknown ones.
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
  /// The range of the first two consecutive braces.
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
