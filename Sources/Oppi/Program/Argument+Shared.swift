// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// Options and arguments that several commands have.
extension Argument {
  static func workspace<Storage: ArgumentStorage>(
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let words = Completion.dynamic("workspace")
    return .option(
      "workspace",
      short: "w",
      placeholder: "WORKSPACE",
      completion: words,
      field(),
      help
    )
  }

  static func model(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "model",
      short: "m",
      placeholder: "MODEL",
      completion: .dynamic("model"),
      field(),
      "Use this model"
    )
  }

  static func thinking(_ field: @autoclosure @escaping Field<Options, ThinkingLevel?>) -> Self {
    .option("thinking", short: "t", field(), "Set the thinking level")
  }

  static func session(
    _ field: @autoclosure @escaping Field<Options, SessionName?>,
    _ help: String
  ) -> Self {
    .option("session", short: "s", completion: .dynamic("session"), field(), help)
  }

  static func anySession(_ field: @autoclosure @escaping Field<Options, SessionName?>) -> Self {
    let help = "A session id, the start of an id, or last"
    return .positional("session", completion: .dynamic("session"), field(), help)
  }

  static func promptFile(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "file",
      short: "F",
      placeholder: "FILE",
      completion: .file,
      field(),
      "Read the prompt from FILE, or from standard input for -"
    )
  }

  static func onAsk(_ field: @autoclosure @escaping Field<Options, OnAsk?>) -> Self {
    .option("on-ask", placeholder: "WHAT", field(), "What --wait does when the agent waits for you")
  }

  static func onLimit(_ field: @autoclosure @escaping Field<Options, OnLimit>) -> Self {
    .option(
      "on-limit",
      placeholder: "WHAT",
      field(),
      "What --wait does at a usage limit"
    )
  }

  static func maxCost(_ field: @autoclosure @escaping Field<Options, Dollars?>) -> Self {
    .option("max-cost", field(), "With --wait: stop a turn that costs more")
  }

  static func schema(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "schema",
      placeholder: "FILE",
      completion: .file,
      field(),
      "With --wait: require JSON that matches this schema"
    )
  }

  static func verify(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "verify",
      placeholder: "COMMAND",
      field(),
      "With --wait: require that this command succeeds"
    )
  }

  static func verifyRetries(_ field: @autoclosure @escaping Field<Options, RetryCount?>) -> Self {
    .option("verify-retries", field(), "Send the output of a failed --verify N times")
  }

  static func then(_ field: @autoclosure @escaping Field<Options, ShortcutName?>) -> Self {
    .option("then", field(), "With --wait: run this shortcut after a successful turn")
  }

  static func desktop(
    _ field: @autoclosure @escaping Field<Options, DesktopOutcome.When>
  ) -> Self {
    .option("gui", field(), "Show the result as a desktop notification")
  }

  static func requests(
    required: Bool = true,
    _ field: @autoclosure @escaping Field<Options, [RequestName]>
  ) -> Self {
    let words = Completion.dynamic("approval")
    return .positional("id", required: required, completion: words, field(), "A request id")
  }

  static func setting(_ field: @autoclosure @escaping Field<Options, Required<String>>) -> Self {
    let names = Completion.choices(ConfigKey.all.map(\.name))
    return .positional("name", completion: names, field(), "The setting")
  }
}

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
  /// The command with the members of its lists, and with `--fields`, which prints members of their
  /// elements as columns.
  ///
  /// The lists are members of its JSON output: the first one has the command's name, or that of its
  /// noun. `others` names lists among the command's own members.
  func listing(
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
