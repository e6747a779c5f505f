// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// What every view of a tool call shows; the views add columns, labels and markup.
///
/// All texts are safe to show.
struct CallFacts {
  let call: ToolCallActivity
  private let renderer: ToolRenderer

  init(_ call: ToolCallActivity) { (self.call, renderer) = (call, .of(call)) }

  /// The state: a sign and a word with their style.
  var mark: StatusMark { StatusMark(call.state) }

  /// The tool's name.
  var name: String {
    let name = call.tool.safeLine(limit: 40)
    return name.isEmpty ? "tool" : name
  }

  /// The subject, such as a command or a file, in one line; empty if unknown.
  var subject: String { renderer.subject(call).head(bytes: 4096).safeLine() }

  /// The name, the subject, and the number of changed lines, such as `edit: a.swift (+1 -1)`.
  var title: String {
    let subject = [subject, change.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }
    return subject.isEmpty ? name : "\(name): \(subject.joined(separator: " "))"
  }

  /// The numbers of lines that a write or an edit adds and removes.
  private var change: String? { call.lineChange == nil ? nil : renderer.size(call) }

  /// The size of the result of a call that ran.
  var size: String? {
    switch call.state {
    case .planned, .waitingApproval, .waiting, .running, .rejected: nil
    case .succeeded, .failed, .unfinished:
      images ?? change?.replacing("-", with: DiffRows.minus) ?? renderer.size(call)?.safeLine()
    }
  }

  /// The sign, the number if the call has one, and the name.
  var head: StyledText {
    var head = StyledText("\(mark.symbol) ", mark.style)
    if call.number > 0 { head.append("#\(call.number) ", .dim) }
    head.append(name, .name)
    return head
  }

  /// Why the call was rejected, in one line; `nil` if it was not, or if the reason is unknown.
  var rejection: String? {
    call.rejection.flatMap { $0.isEmpty ? nil : $0.head(bytes: 1024).safeLine() }
  }

  /// The time from start to end.
  var duration: String? { call.duration.map(ElapsedTime.text) }

  /// The number of returned images; `nil` without any.
  var images: String? { call.imageCount > 0 ? call.imageCount.counted("image") : nil }
}

// MARK: - Rows below a call

extension CallFacts {
  /// The server's text at the end of the output of a failed command.
  private static let exitMark = "Command exited with code "

  /// What is shown below a call, in rows that fit the width: the end of the output unless the call
  /// succeeded, the lines of an edit, the answers to questions, or why the call was rejected.
  func rows(width: Int) -> [StyledText] {
    if let edit = EditDiff(call) { return edit.rows(width: width) }
    let rows: [StyledText] =
      switch call.state {
      case .planned, .waitingApproval: []
      case .waiting, .running: lastLines(5)
      case .failed, .unfinished: lastLines(3)
      case .rejected: [StyledText(rejection ?? "", .dim)]
      case .succeeded: answers
      }
    return rows.filter { !$0.isEmpty }.map { $0.truncated(to: width) }
  }

  /// The last lines of the output without blank lines, and the status of a command.
  private func lastLines(_ count: Int) -> [StyledText] {
    var rows = TextBlock.lastLines(of: call.output.text, count: 20)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(count)
      .map { StyledText($0, .dim) }
    if let last = rows.last?.plain, last.hasPrefix(Self.exitMark) {
      rows[rows.count - 1] = StyledText("exit \(last.dropFirst(Self.exitMark.count))", .error)
    }
    return rows
  }

  private var answers: [StyledText] {
    guard ToolRenderer.ask.tools.contains(call.tool), let answers = call.details["answers"].object
    else { return [] }
    if answers.isEmpty { return [StyledText("not answered", .dim)] }
    return answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = (answer.array ?? [answer]).map { $0.string ?? $0.text() }
      return StyledText("\(id): \(values.joined(separator: ", "))".safeLine())
    }
  }
}
