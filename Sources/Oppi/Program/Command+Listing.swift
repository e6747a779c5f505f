// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

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

extension CommandSpec where Context == Oppi.Context, Output == Report {
  /// The command with `--fields`, which prints members of its lists' elements as columns.
  ///
  /// The lists are members of its JSON output: the first one has the command's name, or that of its
  /// noun.
  func listing(_ lists: String...) -> Command {
    let known: @Sendable () -> [String] = {
      // The lines of a stream have more members than the rows of a list.
      let ofStream = members.contains { $0.term == "type" } ? ["type", "at"] : []
      return ListFields.names(in: members, of: lists) + ofStream
    }
    return printing(
      lists: lists,
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
      guard let names = options.fields?.names else { return work }
      let known = known()
      if let unknown = names.first(where: { !known.contains($0) }) {
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
        let fields = ListFields(lists: lists, names: names)
        var report = try await work(context.with(context.console.choosing(fields)))
        report.fields = fields
        return report
      }
    }
  }
}
