// SPDX-License-Identifier: MIT

/// The number of lines that a call adds to a file and removes from it.
package struct LineChange: Sendable, Equatable {
  package var added: Int
  package var removed: Int
}

extension LineChange {
  /// Counts the lines in the arguments of a `write` or `edit` call; `nil` for other arguments.
  init?(arguments: JSONValue) {
    if let content = arguments["content"].text(.content) {
      self.init(added: content.lineCount, removed: 0)
      return
    }
    let edits = arguments["edits"].array ?? [arguments]
    let texts = edits.compactMap { edit -> (old: String, new: String)? in
      guard let old = edit["oldText"].text(.content), let new = edit["newText"].text(.content)
      else { return nil }
      return (old, new)
    }
    guard !texts.isEmpty else { return nil }
    self.init(
      added: texts.reduce(0) { $0 + $1.new.lineCount },
      removed: texts.reduce(0) { $0 + $1.old.lineCount }
    )
  }

  /// Counts the lines that begin with `+` or `-` in a diff.
  init(difference: String) {
    self.init(added: 0, removed: 0)
    for line in difference.split(whereSeparator: \.isNewline)
    where !line.hasPrefix("+++ ") && !line.hasPrefix("--- ") {
      if line.hasPrefix("+") { added += 1 }
      if line.hasPrefix("-") { removed += 1 }
    }
  }
}
