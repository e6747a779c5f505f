// SPDX-License-Identifier: MIT

extension String {
  /// The text in single quotes: invisible characters are escaped, and at most 60 are shown.
  var quoted: String {
    let limit = 60
    let shown = count > limit ? prefix(limit - 1) + "…" : self[...]
    let scalars = shown.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
      default: String(scalar)
      }
    }
    return "'\(scalars.joined())'"
  }
}

extension [String] {
  /// The words as alternatives in a sentence: `a, b or c`.
  public var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
