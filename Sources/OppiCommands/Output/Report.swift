// SPDX-License-Identifier: MIT

import OppiIntents
package import OppiModel
package import OppiRendering

/// What a command has to say: to programs, to people and through pipes.
///
/// Only ``Console/print(_:)`` chooses between the forms.
package struct Report: Sendable {
  /// Output in a form that is no JSON.
  package enum Text: Sendable {
    case nothing
    case lines([StyledText])
    /// Many lines, made where they are printed.
    case page(@Sendable () -> [StyledText])
    /// For a bar, which gets them byte for byte.
    case bar([BarLine])
    /// As it is, of one line or several.
    case text(String)
    /// Aligned for people, with tabs and full values for pipes; made where it is printed.
    case table(@Sendable () -> Table)

    /// An agent's answer, laid out for a person's eyes.
    static func answer(_ markdown: String, width: Int) -> Text {
      .page { Markdown.rows(of: markdown, width: width) }
    }

    /// A table that is there already.
    static func table(_ table: Table) -> Text { .table { table } }
  }

  /// What is said beside the answer, to people and in pipes.
  package enum Note: Sendable {
    case warning(String)
    /// A remedy for what was just warned of; left out under `--quiet`.
    case hint(String)
  }

  /// What to know where the report cannot be written.
  struct Remark: Sendable {
    var hint: String
    var details: JSONObject
  }

  /// The JSON document; several or none for a stream's.
  var documents: [JSONValue] { makeDocuments() }

  /// Only programs that asked for JSON need it.
  private let makeDocuments: @Sendable () -> [JSONValue]

  /// What is printed on a terminal.
  let eyes: Text
  /// What is printed elsewhere.
  let pipe: Text
  /// What was done, told before the answer; left out under `--quiet`, and with JSON told only
  /// under `--verbose`.
  let status: StyledText?
  /// What is told after the answer, unless that is JSON, which tells it itself.
  let notes: [Note]
  /// Why the command did not come to a good end all the same; it gives the exit status.
  var failure: OppiError?
  /// How far the prompt of a command that sends one came, for the record of a schedule.
  var result: RunResult?
  /// How the process ends where nothing failed.
  var ending = ExitStatus.success
  /// Whether it takes more than milliseconds to be put into words.
  var isLong = false

  /// Whether so many bytes of text take more than milliseconds to be laid out.
  static func isLong(_ byteCount: Int) -> Bool { byteCount > 64 << 10 }
  /// What was done even if nobody learns of it by this report.
  var remark: Remark?
  /// What is only remembered for the next time, once the user has the answer.
  var afterwards: (@Sendable () async -> Void)?

  /// Makes the report of a command that answers once.
  ///
  /// - Parameters:
  ///   - document: What `--json` prints.
  ///   - text: What people and pipes get.
  ///   - pipe: What pipes get instead.
  ///   - status: What was done, told before the answer.
  ///   - notes: What is told after the answer, unless that is JSON.
  ///   - failure: Why the command did not come to a good end all the same.
  package init(
    _ document: @autoclosure @escaping @Sendable () -> JSONValue,
    _ text: Text = .nothing,
    pipe: Text? = nil,
    status: StyledText? = nil,
    notes: [Note] = [],
    failure: OppiError? = nil
  ) {
    makeDocuments = { [document()] }
    self.eyes = text
    self.pipe = pipe ?? text
    self.status = status
    self.notes = notes
    self.failure = failure
  }

  private init(
    lines documents: [JSONValue],
    eyes: Text,
    pipe: Text,
    status: StyledText?,
    failure: OppiError?
  ) {
    makeDocuments = { documents }
    self.eyes = eyes
    self.pipe = pipe
    self.status = status
    self.notes = []
    self.failure = failure
  }

  /// Makes a piece of a stream, with a line of JSON for each object.
  static func step(
    _ lines: [JSONValue] = [],
    _ text: Text = .nothing,
    status: StyledText? = nil
  ) -> Report {
    Report(lines: lines, eyes: text, pipe: text, status: status, failure: nil)
  }

  /// Makes the end of a stream, whose lines are printed already.
  static func end(eyes: Text = .nothing, failure: OppiError? = nil) -> Report {
    Report(lines: [], eyes: eyes, pipe: .nothing, status: nil, failure: failure)
  }
}
