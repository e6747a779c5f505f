// SPDX-License-Identifier: MIT

/// The JSON value that an agent's answer consists of.
package struct JSONInAnswer: Sendable, Equatable {
  /// As the agent wrote it, without surrounding text.
  package let text: String
  package let value: JSONValue

  /// Reads an answer that is a JSON value, or that has exactly one fenced block, which is one.
  ///
  /// `nil` for any other answer.
  package init?(in answer: String) {
    let whole = answer.trimmed
    guard let text = Self.isJSON(whole) ? whole : Self.block(in: whole) else { return nil }
    guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    (self.text, self.value) = (text, value)
  }

  private static func isJSON(_ text: String) -> Bool {
    (try? JSONValue(parsing: Array(text.utf8))) != nil
  }

  /// The content of the only fenced block.
  private static func block(in answer: String) -> String? {
    var blocks: [[Substring]] = []
    var open: [Substring]?
    for line in answer.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      switch (open, isFence) {
      case (nil, true): open = []
      case (let lines?, true):
        blocks.append(lines)
        open = nil
      case (_?, false): open?.append(line)
      case (nil, false): break
      }
    }
    guard blocks.count == 1, open == nil else { return nil }
    return blocks[0].joined(separator: "\n").trimmed
  }
}
