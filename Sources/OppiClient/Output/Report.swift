// SPDX-License-Identifier: MIT

import CommandTable
package import OppiModel
package import OppiTerminal
package import OppiText
package import OppiWire

/// The result of a command in all forms: JSON, terminal and pipe.
///
/// Only ``Output/print(_:)`` selects the form.
package struct Report: Sendable {
  /// Output that is not JSON.
  package enum Text: Sendable {
    case nothing
    case lines([StyledText])
    /// Many lines, made when they are printed.
    case page(@Sendable () -> [StyledText])
    /// For a status bar, printed unchanged.
    case bar([BarLine])
    /// One or more lines, printed after removing unsafe characters.
    case text(String)
    /// Aligned on terminals, tab-separated with full values in pipes; made when it is printed.
    case table(@Sendable () -> Table)

    /// An agent's answer, formatted for a terminal.
    package static func answer(_ markdown: String, _ policy: OutputPolicy) -> Text {
      .page { [width = policy.width, look = policy.look] in
        Markdown.rows(of: markdown, width: width, look: look)
      }
    }

    package static func table(_ table: Table) -> Text { .table { table } }
  }

  /// A message after the result, not printed with JSON.
  package enum Note: Sendable {
    case warning(String)
    /// A fact that needs no action; omitted with `--quiet`.
    case note(String)
    /// A fix for the previous warning; omitted with `--quiet`.
    case hint(String)
  }

  package struct Answer: Sendable, Equatable {
    package let text: String
    /// The id of the turn.
    package let turnID: String

    package init(text: String, turnID: String) {
      (self.text, self.turnID) = (text, turnID)
    }
  }

  /// The JSON documents; several or none for parts of a stream.
  package var documents: [JSONValue] { makeDocuments() }

  /// Evaluated only for `--json`.
  private var makeDocuments: @Sendable () -> [JSONValue]

  /// For a terminal.
  let terminal: Text
  /// For a pipe or file.
  let pipe: Text
  /// What was done; printed before the result, omitted with `--quiet`, and with JSON only printed
  /// with `--verbose`.
  package let status: StyledText?
  /// Printed after the result; JSON output contains this information itself.
  package var notes: [Note]
  /// The error that sets the exit status, despite a result.
  package var failure: OppiError?
  /// The result of the prompt, for the record of a schedule.
  package var result: RunResult?
  /// Whether the prompt is known not to have been sent, or to have been refused.
  package var isUnsent = false
  /// The answer of a successful turn, for a chain.
  package var answer: Answer?
  /// The theme of the settings, if the command has read them; `nil` for that of the output.
  package var theme: Theme?
  /// Whether a terminal shows it with the pager.
  package var isPaged = false
  /// The exit status without a failure.
  package var ending = ExitStatus.success
  /// Whether formatting takes more than milliseconds.
  package var isLong = false

  /// Whether formatting a text of this size takes more than milliseconds.
  package static func isLong(_ byteCount: Int) -> Bool { byteCount > 64 << 10 }
  /// The members to print of each row of its list; `nil` for the columns of the command.
  var fields: ListFields?
  /// What was done, even if the report cannot be written.
  package var remark: OppiError.Remark?
  /// Runs after printing; for example, writes caches and the history.
  package var afterwards: (@Sendable () async -> Void)?

  /// Creates the report of a command with a single result.
  ///
  /// - Parameters:
  ///   - document: The JSON document, made only for `--json`.
  ///   - text: The result for terminals, and for pipes without `pipe`.
  ///   - pipe: The result for pipes.
  ///   - status: What was done.
  ///   - notes: Messages after the result.
  ///   - failure: The error that sets the exit status.
  package init(
    _ document: @autoclosure @escaping @Sendable () -> JSONValue,
    _ text: Text = .nothing,
    pipe: Text? = nil,
    status: StyledText? = nil,
    notes: [Note] = [],
    failure: OppiError? = nil
  ) {
    makeDocuments = { [document()] }
    self.terminal = text
    self.pipe = pipe ?? text
    self.status = status
    self.notes = notes
    self.failure = failure
  }

  /// Creates a part of a stream, with a JSON line for each object.
  package static func step(
    _ lines: [JSONValue] = [],
    _ text: Text = .nothing,
    status: StyledText? = nil
  ) -> Report {
    var report = Report(.null, text, status: status)
    report.makeDocuments = { lines }
    return report
  }

  /// Creates the end of a stream whose lines were already printed.
  package static func end(failure: OppiError? = nil) -> Report {
    var report = Report.step()
    report.failure = failure
    return report
  }
}

/// The members of a list's elements that are printed as columns, by their names in JSON.
package struct ListFields: Sendable, Equatable {
  /// The members of the document that are the lists.
  let lists: [String]
  /// The columns in order; a dot separates the names of inner members.
  let names: [String]

  /// The rows of a document, or of a line of a stream, which is a row itself.
  private func rows(of document: JSONValue) -> [JSONValue] {
    let found = lists.compactMap { document[$0].array }
    return found.isEmpty ? [document] : Array(found.joined())
  }

  func table(of documents: [JSONValue]) -> Table {
    Table(plain: documents.flatMap(rows), headers: names.map { $0.uppercased() }) { row in
      names.map { $0.split(separator: ".").reduce(row) { $0[String($1)] }.columnText }
    }
  }

  /// The names of members of the lists' elements, without those of inner lists.
  static func names(in members: [HelpRow], of lists: [String]) -> [String] {
    var names: [String] = []
    for list in lists {
      for row in members where row.term.hasPrefix("\(list)[].") {
        let name = String(row.term.dropFirst(list.count + 3))
        if !name.contains("["), !names.contains(name) { names.append(name) }
      }
    }
    return names
  }
}

/// A line for a status bar.
///
/// All markup is the program's own. Other text is made safe to show on one line and then escaped
/// for the bar as a whole, so that separate pieces of text cannot form markup together.
package struct BarLine: Sendable, Equatable {
  package let text: String

  /// Longer than any bar.
  private static let limit = 1000

  /// Adds markup around a text, which is escaped.
  package init(
    _ content: String,
    escape: (Unicode.Scalar, _ before: Unicode.Scalar?) -> String? = { _, _ in nil },
    before: String = "",
    after: String = ""
  ) {
    text = before + Self.escaped(content, escape) + after
  }

  /// Encodes a JSON object; the encoder escapes all control characters.
  package init(json: JSONValue) {
    text = json.text()
  }

  /// Makes a text safe to show on one line and replaces some of its scalars.
  ///
  /// `escape` returns the replacement of a scalar after another one; `nil` keeps it. It works on
  /// scalars because bars read bytes: a combining mark after `<` forms another character only for
  /// the reader.
  package static func escaped(
    _ text: String,
    _ escape: (Unicode.Scalar, _ before: Unicode.Scalar?) -> String?
  ) -> String {
    var line = String.UnicodeScalarView()
    var before: Unicode.Scalar?
    for scalar in text.safeLine(limit: limit).unicodeScalars {
      if let escape = escape(scalar, before) {
        line += escape.unicodeScalars
      } else {
        line.append(scalar)
      }
      before = scalar
    }
    return String(line)
  }
}

/// The result of a shortcut's run.
package struct RunResult: Sendable, Equatable {
  /// A state of `ask --json`, or of ``ScheduleRun/State``.
  package let state: String
  package var sessionID: String?
  package var workspace: WorkspaceReference?
  /// The cost of the turn, if known.
  package var cost: Dollars?

  package init(
    state: String,
    sessionID: String? = nil,
    workspace: WorkspaceReference? = nil,
    cost: Dollars? = nil
  ) {
    (self.state, self.sessionID) = (state, sessionID)
    (self.workspace, self.cost) = (workspace, cost)
  }

  /// The result of a chain: that of the next run, unless it was skipped, with the cost of both.
  package func followed(by next: RunResult?) -> RunResult {
    guard let next, next.state != ScheduleRun.State.skipped else { return self }
    let costs = [cost, next.cost].compactMap(\.self)
    return RunResult(
      state: next.state,
      sessionID: next.sessionID ?? sessionID,
      workspace: next.workspace ?? workspace,
      cost: costs.isEmpty ? nil : costs.reduce(.zero, +)
    )
  }
}
