// SPDX-License-Identifier: MIT

package import OppiModel

/// The text of a question, character by character, with its own line breaks.
extension RequestText {
  /// Returns a question with its numbered choices, in rows of at most `width` columns.
  package static func rows(of question: UserQuestion, width: Int) -> [StyledText] {
    let asker = question.extensionName.map { ", asked by \($0)" } ?? ""
    let need = question.kind.isDecision ? "needs approval" : "needs an answer"
    var head = [StyledText("? \(need)\(asker)", .warning)]
    head += warnings(of: question).map { StyledText($0, .error) }
    let rows = head.flatMap { line in
      TextBlock.folded(line.plain, width: max(1, width)).map { StyledText($0, line.style) }
    }
    return rows + body(of: question).flatMap { indented($0, width: width) }
  }

  /// Warnings about hidden and missing characters.
  package static func warnings(of question: UserQuestion) -> [String] {
    var warnings: [String] = []
    let hidden = question.hiddenCount
    if hidden > 0 { warnings.append(words(forHidden: hidden)) }
    if !question.isWhole {
      warnings.append("too long to be shown in full; you can only cancel it")
    }
    return warnings
  }

  /// The text, then the choices; of an `ask`, each question with its choices.
  private static func body(of question: UserQuestion) -> [StyledText] {
    var lines: [StyledText] = []
    if question.kind != .ask {
      lines += shown(question.text.isEmpty ? question.method : question.text)
      lines += question.options.enumerated().flatMap(choice)
    }
    for (index, part) in question.parts.enumerated() {
      lines.append(StyledText("question \(index + 1), id \(RevealedText(part.id).line):", .dim))
      lines += shown(part.text) + part.options.enumerated().flatMap(choice)
      if part.takesSeveral { lines.append(StyledText("several choices are allowed", .dim)) }
    }
    if let placeholder = question.placeholder, !placeholder.isEmpty {
      lines.append(StyledText("e.g. \(RevealedText(placeholder).line)", .dim))
    }
    if let prefill = question.prefill, !prefill.isEmpty {
      lines.append(StyledText("current text:", .dim))
      lines += shown(prefill)
    }
    return lines
  }

  private static func shown(_ text: String) -> [StyledText] {
    RevealedText(text).lines.map { line(of: $0, .given) }
  }

  /// A numbered choice: its label, and its note if it has one.
  private static func choice(_ index: Int, _ option: UserQuestion.Option) -> [StyledText] {
    let pieces = RevealedText(option.label).lines
    let rows = pieces.enumerated().map { row, pieces in
      StyledText(row == 0 ? "\(index + 1)  " : "   ", .name).with(line(of: pieces, .given))
    }
    let note = option.note.map { RevealedText($0).line } ?? ""
    return rows + (note.isEmpty ? [] : [StyledText("   \(note)", .dim)])
  }
}
