// SPDX-License-Identifier: MIT

import OppiText

/// Untrusted text as parts of a Markdown document that cannot become anything else.
///
/// All results are safe to show.
package enum MarkdownQuote {
  /// Returns a code block whose fence is longer than each run of backticks in the lines.
  package static func block(_ lines: [String], info: String = "") -> [String] {
    let fence = String(repeating: "`", count: max(3, (lines.map(longestRun).max() ?? 0) + 1))
    return ["\(fence)\(info)"] + lines + [fence]
  }

  /// Returns the lines of a Markdown text as written, and the end of a code block that it leaves open.
  package static func whole(_ text: String) -> [String] {
    let text = text.safeBlock()
    var open: MarkdownLine.Fence?
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let line = MarkdownLine(ArraySlice(line))
      if let fence = open {
        if line.closes(fence) { open = nil }
      } else {
        open = line.fence
      }
    }
    // A block within a quote or an item ends with it.
    let end = open.map { fence in
      String(repeating: " ", count: fence.indent)
        + String(repeating: Character(Unicode.Scalar(fence.sign)), count: fence.count)
    }
    return [text] + [end].compactMap(\.self)
  }

  /// Returns a text as inline code on one line; empty if nothing of it can be shown.
  package static func code(_ text: String) -> String {
    let line = text.safeLine()
    guard !line.isEmpty else { return "" }
    let fence = String(repeating: "`", count: longestRun(in: line) + 1)
    let isAtEdge = line.utf8.first == tick || line.utf8.last == tick
    return isAtEdge ? "\(fence) \(line) \(fence)" : "\(fence)\(line)\(fence)"
  }

  /// Returns a text as plain words on one line.
  package static func words(_ text: String) -> String {
    text.safeLine().reduce(into: "") { line, character in
      if special.contains(character) { line.append("\\") }
      line.append(character)
    }
  }

  /// Returns a text as the content of an HTML element on one line.
  package static func html(_ text: String) -> String {
    text.safeLine().reduce(into: "") { line, character in
      switch character {
      case "&": line += "&amp;"
      case "<": line += "&lt;"
      case ">": line += "&gt;"
      case "\"": line += "&quot;"
      default: line.append(character)
      }
    }
  }

  private static let tick = UInt8(ascii: "`")
  /// What has a meaning within a line of Markdown or HTML.
  private static let special: Set<Character> = [
    "\\", "`", "*", "_", "[", "]", "<", ">", "&", "#", "|", "~", "$", "!",
  ]

  private static func longestRun(in line: String) -> Int {
    var (longest, current) = (0, 0)
    for byte in line.utf8 {
      current = byte == tick ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}
