// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiTerminal
import OppiText
package import OppiWire

/// The text of a request for approval, character by character, with its own line breaks.
package enum RequestText {
  private static let indent = "  "
  /// The prefix of a row that continues the previous one.
  fileprivate static let continuation = StyledText("↪ ", .dim)

  /// Returns the proposed action and its full contents, in rows of at most `width` columns.
  ///
  /// Contents are indented, and continued rows are marked.
  package static func rows(of request: HumanRequest, width: Int) -> [StyledText] {
    let head =
      switch request {
      case .permission(let call): head(of: call)
      case .question(let question): head(of: question)
      }
    let lines = head + warnings(of: request).map { StyledText($0, .error) }
    return folded(lines, width: width)
      + body(of: request).flatMap { indented($0, width: width) }
  }

  /// Wraps lines at spaces into rows that no terminal draws wider than `width`.
  static func folded(_ lines: [StyledText], width: Int, indent: Int = 0) -> [StyledText] {
    lines.flatMap { $0.folded(to: max(1, width), indent: indent, .greatest) }
  }

  /// Cuts a line into rows that no terminal draws wider than `width`.
  ///
  /// Nothing is dropped. `first` is the prefix of the first row; `rest` is that of the others.
  static func cut(
    _ line: StyledText,
    width: Int,
    first: StyledText = StyledText(),
    rest: StyledText
  ) -> [StyledText] {
    line.cut(to: width, first: first, rest: rest, .greatest)
  }

  /// The columns of the widest row in any terminal.
  package static func widest(_ rows: some Sequence<StyledText>) -> Int {
    rows.reduce(0) { max($0, DisplayWidth.of($1.plain, .greatest)) }
  }

  /// Returns parts of a call's input in full, indented.
  static func rows(of parts: [RequestPart], width: Int) -> [StyledText] {
    lines(of: parts).flatMap { indented($0, width: width) }
  }

  package static func indented(_ line: StyledText, width: Int) -> [StyledText] {
    cut(line, width: width, first: StyledText(indent), rest: continuation)
  }

  // MARK: - Description

  private static func head(of request: PermissionRequest) -> [StyledText] {
    let tool = RevealedText(request.tool).line
    let mark = StatusMark(RequestNeed.approval)
    var lines = [StyledText("\(mark.line.plain): \(tool.isEmpty ? "a tool" : tool)", mark.style)]
    lines.append(line(of: request.risk))
    if let reason = request.reason?.safeLine(limit: 1000), !reason.isEmpty {
      lines.append(StyledText("reason: \(reason)", .warning))
    }
    return lines
  }

  private static func head(of question: UserQuestion) -> [StyledText] {
    let asker = question.extensionName.map { ", asked by \($0)" } ?? ""
    let mark = StatusMark(HumanRequest.question(question).needs)
    return [StyledText("\(mark.line.plain)\(asker)", mark.style)]
      + (question.risk.map { [line(of: $0)] } ?? [])
  }

  private static func line(of risk: Risk) -> StyledText {
    StyledText(risk.statement, risk.isHigh ? .error : .warning)
  }

  /// Warnings about hidden and missing characters, and about what happens without an answer.
  package static func warnings(of request: HumanRequest) -> [String] {
    var warnings = [request.allowanceNote].compactMap(\.self)
    let hidden = request.hiddenCount
    if hidden > 0 {
      let what = hidden == 1 ? "1 hidden character is" : "\(hidden) hidden characters are"
      warnings.append("\(what) shown as \\u{...}")
    }
    if !request.isWhole {
      warnings.append(ApprovalPolicy.Obstacle.incomplete.notice(on: request))
    }
    return warnings
  }

  // MARK: - Contents

  /// Returns the full contents without what is known about them, in lines of any width, safe to show.
  package static func body(of request: HumanRequest) -> [StyledText] {
    switch request {
    case .permission(let call): body(of: call)
    case .question(let question): body(of: question)
    }
  }

  /// Returns the full contents of the call, in lines of any width, safe to show.
  package static func body(of request: PermissionRequest) -> [StyledText] {
    lines(of: request.parts)
  }

  private static func lines(of parts: [RequestPart]) -> [StyledText] {
    parts.flatMap { part in
      let label = part.label.map { StyledText("\(RevealedText($0).line):", .dim) }
      return [label].compactMap(\.self)
        + RevealedText(part.text).lines.map { line(of: $0, part.kind) }
    }
  }

  static func line(of pieces: [RevealedText.Piece], _ kind: RequestPart.Kind) -> StyledText {
    let style: Style =
      switch kind {
      case .given: .code
      case .removed: .removed
      case .added: .added
      }
    return StyledText(kind.mark, style).with(line(of: pieces, style))
  }

  static func line(of pieces: [RevealedText.Piece], _ style: Style) -> StyledText {
    var line = StyledText()
    for piece in pieces {
      switch piece {
      case .plain(let text): line.append(text, style)
      case .escape(let text): line.append(text, .warning)
      }
    }
    return line
  }
}

extension HumanRequest {
  /// The time left and how it ends, by the server's clock; `nil` without a limit.
  func countdown(at serverNow: Timestamp) -> String? {
    timeoutAt.map { "\(expiry) in \(ElapsedTime.text(.seconds(serverNow.age(at: $0))))" }
  }
}

/// The text of a question, character by character, with its own line breaks.
extension RequestText {
  /// The text, then the choices; of an `ask`, each question with its choices.
  private static func body(of question: UserQuestion) -> [StyledText] {
    var lines: [StyledText] = []
    if question.kind == .ask {
      lines += question.headings.flatMap(shown)
    } else {
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

package enum QuestionText {
  /// What is known about a question that was settled, but not by an answer from here.
  package static let settled =
    "no longer pending: answered elsewhere or timed out, which of the two is unknown"

  /// Another request has the id of the one that was shown; the new one is on the screen.
  package static let changed = "the request has changed; read it again"

  /// The server asks again after a connection was lost.
  package static let lost = "the server did not receive your reply; reply again"

  /// Why a question takes no answer here.
  static let unreported =
    "Only a program that was connected when it was asked can answer it; a stop cancels it."

  /// The same, with the command that cancels it.
  static func unreported(in sessionID: String) -> String {
    "only a program that was connected when it was asked can answer it; cancel it with: oppi stop "
      + sessionID.asOperand
  }

  package struct Item: Sendable, Equatable {
    package var question: String
    package var options: [String]
    /// The text that an empty answer field shows.
    package var placeholder: String?
  }

  /// Returns the questions, safe to show.
  package static func items(of question: UserQuestion) -> [Item] {
    guard question.parts.isEmpty else {
      return question.parts.prefix(10).map { item($0.text, $0.options) }
    }
    var dialog = item(question.text, question.options)
    let placeholder = question.placeholder?.safeLine(limit: 80) ?? ""
    dialog.placeholder = placeholder.isEmpty ? nil : placeholder
    return [dialog]
  }

  private static func item(_ question: String, _ options: [UserQuestion.Option]) -> Item {
    let labels = options.prefix(20).map { $0.label.safeLine(limit: 80) }
    return Item(question: question.safeLine(), options: labels)
  }
}

/// A request for approval as labelled lines for a listener.
///
/// Each line of the call has a label, so that no text of the call can be taken for a line of the
/// program.
package enum SpokenRequest {
  /// The prefix of a row that continues the previous one.
  private static let continuation = StyledText("continued: ", .dim)
  /// In narrower rows, labels and text have rows of their own.
  private static let leastWidth = 24

  /// Returns the tool, the risk and the full call, in rows of at most `width` columns.
  package static func lines(of request: PermissionRequest, width: Int) -> [StyledText] {
    let tool = RevealedText(request.tool).line
    let body = RequestText.body(of: request)
    let head = [
      "\(RequestNeed.approval.state): \(tool.isEmpty ? "a tool" : tool)",
      body.count.counted("line"), request.risk.statement,
    ]
    let reason = request.reason?.safeLine(limit: 1000) ?? ""
    let more =
      (reason.isEmpty ? [] : ["reason: \(reason)"])
      + RequestText.warnings(of: .permission(request)).map { "warning: \($0)" }
    let prose = [SpokenLabel.approval.line(head.joined(separator: ", "))] + more
    return RequestText.folded(prose.map { StyledText($0) }, width: width, indent: 2)
      + numbered(body, width: width)
  }

  /// Returns lines with their numbers; a line that is too long is continued, and nothing is dropped.
  package static func numbered(_ lines: [StyledText], width: Int) -> [StyledText] {
    lines.enumerated().flatMap { index, line in
      let label = StyledText(lines.count == 1 ? "call: " : "line \(index + 1): ", .dim)
      if width == .max { return [label.with(line)] }
      if width >= leastWidth {
        return RequestText.cut(line, width: width, first: label, rest: continuation)
      }
      let rest = RequestText.continuation
      return RequestText.cut(label, width: width, rest: rest)
        + RequestText.cut(line, width: width, first: rest, rest: rest)
    }
  }

  /// Returns when a request expires, and its id.
  package static func end(of request: PermissionRequest) -> [String] {
    let time = request.timeoutAt.map { "; denied without a decision at \($0.iso8601)" } ?? ""
    return ["end of request \(request.id.safeLine())\(time)"]
  }
}
