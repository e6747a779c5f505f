// SPDX-License-Identifier: MIT

import OppiModel

/// Rows of which a person chooses one.
package struct Menu: Sendable {
  /// A row that is safe to show.
  package struct Row: Sendable {
    /// One line.
    package var text: String
    /// What a preview shows beside the row.
    package var subject: Subject?

    package init(_ text: String, subject: Subject? = nil) {
      self.text = text
      self.subject = subject
    }
  }

  /// What there is more to read of, and the name that its command takes.
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

  /// More rows are 16 MB of text, which no menu is for.
  package static let rowLimit = 100_000

  /// What is asked, in few words.
  package let prompt: String
  /// None has a line break or a tab.
  package let rows: [Row]

  /// Makes a menu of at most ``rowLimit`` rows.
  package init(_ prompt: String, _ rows: [Row]) {
    self.prompt = prompt
    self.rows = rows.prefix(Self.rowLimit).map { row in
      var row = row
      row.text = Self.line(row.text)
      return row
    }
  }

  /// Makes a menu in which no two rows have the same text: one with that of another before it gets
  /// a number.
  package init(_ prompt: String, numbering rows: [Row]) {
    // A picker may print a row without the spaces around it.
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

  /// The text without what would end a row for a picker; all else, spaces as well, stays as it is.
  private static func line(_ text: String) -> String {
    let ends: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    let scalars = text.unicodeScalars.map {
      ends.contains($0.properties.generalCategory) ? " " : $0
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// What a picker reads: a line a row.
  package func input(for form: Picker.Answer) -> [UInt8] {
    let lines = rows.enumerated().map { index, row in
      guard form == .field else { return row.text + "\n" }
      let (kind, name) = (row.subject?.kind.rawValue ?? "", row.subject?.name ?? "")
      return "\(index)\t\(kind)\t\(Self.line(name))\t\(row.text)\n"
    }
    return Array(lines.joined().utf8)
  }

  /// The row that an answer names; `nil` where it names none.
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
