// SPDX-License-Identifier: MIT

import OppiText

/// The commands that the text of a dialog quotes.
///
/// The gates of extensions ask for approval with a text that has the command after a label, as in
/// `Dangerous command:`, in a code span, or after a verb, as in `Run rm -rf build?`. Prose has the
/// names of programs too, such as `at` and `mail`, so what has no such mark counts only if it cannot
/// be prose. As with calls, the risk is only advice, and a low one guarantees nothing.
enum QuotedCommand {
  /// In bytes; a longer text counts as high risk, as a longer command does.
  private static let limit = 128 << 10

  /// The highest risk of the commands; `nil` if there is none.
  static func risk(in question: UserQuestion) -> Risk? {
    let texts = question.headings + question.parts.map(\.text)
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    guard question.isWhole, size <= limit,
      texts.allSatisfy({ RevealedText($0).escapeCount == 0 })
    else { return .high }
    var reader = Reader()
    for text in texts {
      for line in text.split(separator: "\n") { reader.read(line.trimmed) }
    }
    reader.endCommand()
    return reader.risk
  }

  private struct Reader {
    private(set) var risk: Risk?
    /// The lines of the command so far; `nil` outside of one.
    private var command: [String]?
    /// Whether the command ends with a fence, and not with a question.
    private var isFenced = false

    mutating func read(_ line: String) {
      if line.hasPrefix("```") {
        endCommand()
        isFenced.toggle()
        command = isFenced ? [] : nil
      } else if !isFenced, let start = line.afterLabel {
        endCommand()
        command = start.isEmpty ? [] : [start]
      } else if isFenced || command != nil && !line.isQuestion {
        command?.append(line)
      } else {
        endCommand()
        for span in line.codeSpans { take(ShellRisk.ofSpan(span)) }
        take(ShellRisk.certain(in: line.withoutVerb))
      }
    }

    mutating func endCommand() {
      let lines = (command ?? []).filter { !$0.isEmpty }
      if !lines.isEmpty { take(ShellRisk.of(lines.joined(separator: "\n"))) }
      command = nil
    }

    private mutating func take(_ found: Risk?) {
      if let found { risk = max(risk ?? found, found) }
    }
  }
}

extension String {
  /// The last words of a label in front of a command, and the tools that run one.
  private static let labels: Set = ["command", "commands", "bash", "run_bash", "shell"]
  private static let verbs: Set = ["run", "execute", "exec", "allow", "approve", "permit"]
  private static let labelWords = 6

  /// What follows the label of a command at the start of the line, which is empty if the command is
  /// on the next lines; `nil` without a label.
  fileprivate var afterLabel: String? {
    if hasPrefix("$ ") { return String(dropFirst(2)).trimmed }
    let end = firstIndex { ":?".contains($0) } ?? endIndex
    let words = self[..<end].lowercased().split(separator: " ").map(String.init)
    guard let last = words.last, words.count <= Self.labelWords else { return nil }
    let rest = self[end...].dropFirst().description.trimmed
    if end < endIndex, self[end] == ":" {
      return Self.labels.contains(last) || Self.verbs.contains(last) ? rest : nil
    }
    // A title such as 'bash' or 'Allow this command?' stands above it.
    let isTitle = rest.isEmpty && (end < endIndex || words.count == 1)
    return isTitle && Self.labels.contains(last) ? "" : nil
  }

  /// Whether it is a question about the command above it.
  fileprivate var isQuestion: Bool { hasSuffix("?") && first?.isUppercase == true }

  /// The texts between backticks.
  fileprivate var codeSpans: [String] {
    let pieces = split(separator: "`", omittingEmptySubsequences: false)
    return stride(from: 1, to: pieces.count - 1, by: 2).map { String(pieces[$0]) }
  }

  /// The line without a mark and a verb at its start, and without a question mark at its end.
  fileprivate var withoutVerb: String {
    var words = split(separator: " ")[...]
    words = words.drop { word in !word.contains { $0.isASCII && $0.isLetter } }
    if let first = words.first, Self.verbs.contains(first.lowercased()) { words.removeFirst() }
    let line = words.joined(separator: " ")
    return line.hasSuffix("?") ? String(line.dropLast()) : line
  }
}
