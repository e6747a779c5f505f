// SPDX-License-Identifier: MIT

/// Writes mdoc(7) source: escapes text and separates paragraphs.
struct MdocWriter {
  /// The source so far; every line is terminated.
  private(set) var text = ""

  /// Whether the next text needs a paragraph break.
  private var followsText = false

  private static let width = 78

  /// Writes a macro whose arguments are already escaped.
  mutating func macro(_ line: String) {
    text += ".\(line)\n"
  }

  /// Writes a heading; `macro` is `Sh` or `Ss`.
  mutating func heading(_ macro: String, _ title: String) {
    self.macro("\(macro) \(Self.words(title))")
    followsText = false
  }

  /// Starts a new paragraph unless nothing precedes it.
  mutating func paragraphBreak() {
    if followsText { macro("Pp") }
    followsText = true
  }

  mutating func prose(_ prose: Prose) {
    for block in prose.blocks {
      switch block {
      case .paragraph(let words): paragraph(words)
      case .verbatim(let lines): display(lines)
      }
    }
  }

  mutating func paragraph(_ words: String) {
    paragraphBreak()
    sentences(words)
  }

  mutating func display(_ lines: [String]) {
    macro("Bd -literal -offset indent")
    for line in lines { text += Self.guarded(Self.escaped(line, isLiteral: true)) + "\n" }
    macro("Ed")
    followsText = true
  }

  /// Writes a list; each term is a macro with escaped arguments.
  mutating func list(_ rows: [HelpRow]) {
    guard !rows.isEmpty else { return }
    macro("Bl -tag -width Ds")
    for row in rows {
      macro("It \(row.term)")
      sentences(row.meaning + ".")
    }
    macro("El")
    followsText = true
  }

  /// Writes running text; every sentence starts a new line.
  mutating func sentences(_ words: String) {
    var line = ""
    for word in words.split(separator: " ") {
      let escaped = Self.escaped(String(word), isLiteral: word.isLikeOption)
      let endsSentence = line.last.map { ".!?".contains($0) } ?? false
      if line.isEmpty {
        line = escaped
      } else if endsSentence || line.count + 1 + escaped.count > Self.width {
        text += Self.guarded(line) + "\n"
        line = escaped
      } else {
        line += " \(escaped)"
      }
    }
    if !line.isEmpty { text += Self.guarded(line) + "\n" }
  }
}

// MARK: - Escaping

extension MdocWriter {
  /// Returns words as arguments of a macro, protected from being read as macros or punctuation.
  static func words(_ text: String) -> String {
    text.split(separator: " ").map { word in
      let isMacro =
        word.count <= 3 && word.first?.isUppercase == true && word.last?.isLowercase == true
      let isPunctuation = word.count == 1 && ".,:;()[]?!|".contains(word)
      return (isMacro || isPunctuation ? "\\&" : "") + escaped(String(word), isLiteral: false)
    }
    .joined(separator: " ")
  }

  /// Returns text in which every character is printed as it is.
  ///
  /// In literal text, hyphens become ASCII hyphens.
  static func escaped(_ text: String, isLiteral: Bool) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\"": "\\(dq"
      case "-" where isLiteral: "\\-"
      case " "..."~": String(scalar)
      case "\0"..<" ": " "
      default: "\\[u\(hexadecimal(scalar))]"
      }
    }
    .joined()
  }

  /// Returns a text line protected from being read as a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&\(line)" : line
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
  }
}

extension Substring {
  /// Whether the word is an option, possibly in quotes or brackets.
  fileprivate var isLikeOption: Bool {
    drop { "'\"([`".contains($0) }.hasPrefix("-")
  }
}
