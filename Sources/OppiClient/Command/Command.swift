// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiTerminal
package import OppiText

/// The headings of the command list, in order.
package enum Group {
  package static let start = "Getting started"
  package static let asking = "Sending prompts"
  package static let watching = "Sessions and approvals"
  package static let triggers = "Triggers"
  package static let setup = "Servers, setup and help"

  package static let all = [start, asking, watching, triggers, setup]
}

package typealias Command = CommandSpec<Context, Report>

/// The option of all commands that print lists.
private struct ListOptions: Sendable {
  var fields: FieldNames?
}

/// Names of columns, separated by commas.
private struct FieldNames: ArgumentValue {
  static let placeholder = "NAMES"

  let names: [String]

  init(argument: String) throws(ArgumentValueError) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " } }
    guard !names.contains("") else { throw ArgumentValueError("expects names such as id,state") }
  }
}

extension CommandSpec where Context == OppiClient.Context, Output == Report {
  /// The command with the members of its lists, and with `--fields`, which prints members of their
  /// elements as columns.
  ///
  /// The lists are members of its JSON output: the first one has the command's name, or that of its
  /// noun. `others` names lists among the command's own members.
  package func listing(
    _ lists: @autoclosure @escaping @Sendable () -> [any DescribedList],
    and others: String...
  ) -> Command {
    let names: @Sendable () -> [String] = { lists().map(\.name) + others }
    let known: @Sendable () -> [String] = {
      let all = lists().flatMap(\.members) + members
      // The lines of a stream have more members than the rows of a list.
      let ofStream = all.contains { $0.term == "type" } ? ["type", "at"] : []
      return ListFields.names(in: all, of: names()) + ofStream
    }
    return printing(
      lists: names(),
      members: lists().flatMap(\.members),
      options: ListOptions(),
      arguments: [
        .option(
          "fields",
          completion: .choices(known()),
          \.fields,
          "Print only these members of each row (see 'oppi help json')"
        )
      ]
    ) { (options, work) throws(UsageError) in
      guard let fields = options.fields?.names else { return work }
      let known = known()
      if let unknown = fields.first(where: { !known.contains($0) }) {
        throw UsageError(
          .custom("no field '\(unknown.safeLine(limit: 60))'"),
          hint: Suggestions.hint(naming: Suggestions.closest(to: unknown, among: known))
            ?? "fields: \(known.joined(separator: ", "))"
        )
      }
      return { context in
        guard !context.options.isJSON else {
          throw UsageError(
            .contradiction("--fields selects columns of text; --json has all members")
          )
        }
        let columns = ListFields(lists: names(), names: fields)
        var report = try await work(context.with(context.output.choosing(columns)))
        report.fields = columns
        return report
      }
    }
  }
}

extension Listing {
  /// Creates the report of a command that prints the list.
  ///
  /// - Parameters:
  ///   - rows: The rows in their order.
  ///   - context: Has the time to which ages refer.
  ///   - isOnlyServer: Whether the rows need not name their server.
  ///   - others: The members of the document after the list.
  ///   - text: What a terminal shows instead of the columns.
  ///   - pipe: What a pipe has instead of the values.
  ///   - status: What to print without rows, or about them.
  ///   - notes: Messages after the list.
  ///   - failure: The error that sets the exit status.
  /// - Returns: The report.
  package func report(
    _ rows: [Row],
    in context: Context,
    isOnlyServer: Bool = false,
    others: @autoclosure @escaping @Sendable () -> JSONObject = [:],
    text: Report.Text? = nil,
    pipe: Report.Text? = nil,
    status: StyledText? = nil,
    notes: [Report.Note] = [],
    failure: OppiError? = nil
  ) -> Report {
    let view = ListView(now: context.now(), isOnlyServer: isOnlyServer)
    return Report(
      .object(JSONShape([member { $0 }]).object(of: rows).adding(others())),
      text ?? .table { table(of: rows, view) },
      pipe: pipe ?? ownPipe(of: rows),
      status: status,
      notes: notes,
      failure: failure
    )
  }
}
