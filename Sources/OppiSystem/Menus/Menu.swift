// SPDX-License-Identifier: MIT

import OppiText

/// Rows from which the user chooses one.
package struct Menu: Sendable {
  /// A row that is safe to show.
  package struct Row: Sendable {
    /// One line.
    package var text: String
    /// The subject of the row's preview.
    package var subject: Subject?

    package init(_ text: String, subject: Subject? = nil) {
      self.text = text
      self.subject = subject
    }
  }

  /// The subject of a preview, with the argument of its command.
  package struct Subject: Sendable {
    package enum Kind: String, Sendable {
      case session
      case approval
      case shortcut
    }

    package var kind: Kind
    package var name: String

    package init(kind: Kind, name: String) {
      (self.kind, self.name) = (kind, name)
    }
  }

  /// More rows would be 16 MB of text, too much for a menu.
  package static let rowLimit = 100_000

  package let prompt: String
  /// Without line breaks and tabs.
  package let rows: [Row]

  /// Keeps at most ``rowLimit`` rows.
  package init(_ prompt: String, _ rows: [Row]) {
    self.prompt = prompt
    self.rows = rows.prefix(Self.rowLimit).map { row in
      var row = row
      row.text = Self.line(row.text)
      return row
    }
  }

  /// Makes the texts of all rows unique: a repeated text gets a number.
  package init(_ prompt: String, numbering rows: [Row]) {
    // A picker may print a row without surrounding spaces.
    var counts: [String: Int] = [:]
    let numbered = rows.prefix(Self.rowLimit).map { row in
      var row = row
      let text = Self.line(row.text)
      row.text = text
      while counts[row.text.trimmed] != nil {
        counts[text.trimmed, default: 1] += 1
        row.text = "\(text) (\(counts[text.trimmed, default: 2]))"
      }
      counts[row.text.trimmed] = 1
      return row
    }
    self.init(prompt, numbered)
  }

  /// The text without characters that end a row for a picker; spaces are kept.
  private static func line(_ text: String) -> String {
    let ends: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    let scalars = text.unicodeScalars.map {
      ends.contains($0.properties.generalCategory) ? " " : $0
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The input of a picker: one line per row.
  package func input(for form: Picker.Answer) -> [UInt8] {
    let lines = rows.enumerated().map { index, row in
      guard form == .field else { return row.text + "\n" }
      let (kind, name) = (row.subject?.kind.rawValue ?? "", row.subject?.name ?? "")
      return "\(index)\t\(kind)\t\(Self.line(name))\t\(row.text)\n"
    }
    return Array(lines.joined().utf8)
  }

  /// The row that an answer identifies; `nil` if there is none.
  package func index(of answer: String, in form: Picker.Answer) -> Int? {
    switch form {
    case .index: return Int(answer).flatMap { rows.indices.contains($0) ? $0 : nil }
    case .field:
      let number = answer.prefix { $0 != "\t" }
      return Int(number).flatMap { rows.indices.contains($0) ? $0 : nil }
    case .row:
      return rows.firstIndex { $0.text == answer }
        ?? rows.firstIndex { $0.text.trimmed == answer.trimmed }
    }
  }
}
