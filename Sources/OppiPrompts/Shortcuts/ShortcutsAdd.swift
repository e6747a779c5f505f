// SPDX-License-Identifier: MIT

package import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText

enum ShortcutsAdd {
  struct Options: Sendable, Equatable {
    @Required var name: ShortcutName
    var words: [String] = []
    var file: String?
    var shortcut = Shortcut()
    var values: [TemplateValue] = []
    var schema: String?
    var verifyRetries: RetryCount?
    var when: String?
    var rule: RunCondition.Rule?
    var isReplacing = false
  }

  static let command: Command = Command(
    "add",
    "Create a shortcut",
    discussion: """
      In the prompt, {{branch}} is a placeholder, which 'oppi run NAME --var branch=main' \
      replaces once, as text: braces in values are not special. --var sets default values. \
      {{input}} is standard input, which is read only with --input.

      With --session same a run continues the session of the previous run; if that session is \
      gone, a new one is created. With --after stop the session is ended after the turn, so that \
      it is no longer loaded (a server limits their number): with --wait by the run itself \
      unless --timeout elapses first, else by 'oppi watch' or 'oppi outbox flush'. --timeout is \
      saved in the shortcut.

      With --when a run first executes a command in the shell (60 s at most), and sends the prompt \
      only if the command succeeds, if it succeeds with output (--when-is nonempty), or if its \
      output has changed since the last run that sent the prompt (--when-is changed); the first \
      output counts as changed. Otherwise the run is skipped, with status 0. {{when}} is its \
      output, at most 65,536 characters. With nonempty and changed a command that fails is an \
      error.

      A shortcut is a file, JSON with comments; a prompt of several lines is a separate text file. \
      Triggers contain only the name of the shortcut, not the prompt: crontabs, units, rules and \
      hotkeys interpret characters such as %, $ and ;, and other users may be able to read them.
      """,
    examples: [
      (
        "oppi shortcuts add standup -w api --queue 'what was done yesterday?'",
        "Create a shortcut for a timer, to run with 'oppi run standup'"
      ),
      (
        "oppi shortcuts add review -w api --input 'review this: {{input}}'",
        "Create a shortcut for a pipe: git diff | oppi run review"
      ),
      (
        "oppi shortcuts add bugs -w api --when ./bugs --when-is changed 'see {{when}}'",
        "Send the prompt only when the output of a command has changed"
      ),
      (
        "oppi shortcuts add nightly -w api -F nightly.md --wait --after stop",
        "Read the prompt from a file; wait, then end the session"
      ),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 73, 74, 78],
    members: NamedShortcut.shape.rows,
    options: Options(),
    arguments: place + manner + condition + text,
    validate: { (options) throws(UsageError) in
      if options.file != nil, !options.words.isEmpty {
        throw UsageError(
          .contradiction("give the prompt either with --file or on the command line")
        )
      }
      if options.file == nil, options.words.isEmpty {
        throw UsageError(
          .custom("no prompt"),
          hint: "give it as arguments, with -F FILE, or as - for standard input"
        )
      }
    },
    run: run
  )

  /// The condition of the options.
  ///
  /// - Throws: `OppiError` if a rule has no command, or retries have none.
  private static func condition(_ options: Options) throws -> RunCondition? {
    if options.rule != nil, options.when == nil {
      throw OppiError(.usage, "--when-is requires --when")
    }
    if options.verifyRetries != nil, options.shortcut.checks.command == nil {
      throw OppiError(.usage, "--verify-retries requires --verify")
    }
    return options.when.map { RunCondition(command: $0, rule: options.rule ?? .succeeds) }
  }

  private static let place: [Argument<Options>] = [
    .workspace(\.shortcut.workspace, "Send the prompt to this workspace"),
    .model(\.shortcut.model),
    .thinking(\.shortcut.thinking),
    .option("title", \.shortcut.title, "Set the title of its sessions; default: its name"),
    .option("session", \.shortcut.conversation, "Select the session of a run"),
    .option("after", \.shortcut.ending, "What happens to the session after the turn"),
  ]

  private static let manner: [Argument<Options>] = [
    .flag("wait", \.shortcut.isWaiting, "Wait for the turn to end and print the answer"),
    .onAsk(\.shortcut.onAsk),
    .onLimit(\.shortcut.onLimit),
    .maxCost(\.shortcut.maxCost),
    .schema(\.schema),
    .verify(\.shortcut.checks.command),
    .verifyRetries(\.verifyRetries),
    .then(\.shortcut.then),
    .flag("queue", \.shortcut.isQueueing, "Queue the prompt if it cannot be delivered now"),
    .option(
      "expires",
      \.shortcut.expiry,
      "With --queue: do not deliver the prompt after this time"
    ),
  ]

  private static let condition: [Argument<Options>] = [
    .option(
      "when",
      placeholder: "COMMAND",
      \.when,
      "Send the prompt only if this command allows it"
    ),
    .option("when-is", \.rule, "When --when allows the run; default: succeeds"),
  ]

  private static let text: [Argument<Options>] = [
    .promptFile(\.file),
    .flag("input", \.shortcut.readsInput, "Replace {{input}} by standard input"),
    .option("var", placeholder: "NAME=VALUE", \.values, "Set the default value of a placeholder"),
    .flag("replace", \.isReplacing, "Replace an existing shortcut"),
    .positional("name", \.$name, "The name of the shortcut"),
    .positional("prompt", \.words, "The prompt, or - for standard input"),
  ]

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let row = try await shortcut(of: options, in: context)
    try await context.services.addShortcut(row.file(in: context.shortcuts), as: row.name)
    return Report(
      NamedShortcut.shape.document(of: row),
      status: StyledText("run it with: \(row.example)")
    )
  }

  /// The shortcut of the options, with its prompt read and its workspace and model checked; writes
  /// nothing.
  static func shortcut(of options: Options, in context: Context) async throws -> NamedShortcut {
    let name = options.name
    try context.services.checkShortcut(name, mayReplace: options.isReplacing)
    var shortcut = options.shortcut
    var input = Ask.Options()
    (input.file, input.words) = (options.file, options.words)
    shortcut.prompt = try await AskInput.prompt(input, in: context)
    shortcut.timeout = context.options.timeout
    shortcut.condition = try condition(options)
    shortcut.checks.schema = try await AskInput.schema(options.schema, in: context)
    shortcut.checks.commandRetries = options.verifyRetries?.number ?? 0
    shortcut.variables = Dictionary(options.values.map { ($0.name, $0.value) }) { $1 }
    if let defect = shortcut.defect {
      throw OppiError(.badInput, "shortcut \(name.text) \(defect)")
    }
    let workspace = try await context.workspace(toSave: shortcut.workspace)
    if let model = shortcut.model {
      // Without a workspace, any server may offer it.
      let servers = try workspace.map { [$0.server] } ?? context.servers()
      let level = shortcut.thinking
      let error = try await context.services.obstacle(toModel: model, thinking: level, on: servers)
      if let error, error.reason == .unknownModel { throw error.tracing(.option("--model")) }
      if let error { await context.services.warn(ofUncheckedModel: error) }
    }
    return NamedShortcut(name: name, shortcut: shortcut)
  }
}

extension NamedShortcut {
  func file(in store: ShortcutStore) -> ShortcutStore.File { store.file(of: shortcut, named: name) }
}

/// A value for a placeholder, as an option gives it: `branch=main`.
package struct TemplateValue: ArgumentValue, Equatable {
  package static let placeholder = "NAME=VALUE"

  let name: String
  /// Without control characters and invisible characters.
  let value: String
  let isCut: Bool

  package init(argument: String) throws(ArgumentValueError) {
    guard let equals = argument.firstIndex(of: "="),
      PromptTemplate.isName(argument[..<equals])
    else { throw ArgumentValueError("expects NAME=VALUE with a placeholder's name") }
    name = String(argument[..<equals])
    let clean = String(argument[argument.index(after: equals)...]).safeBlock()
    value = clean.safeBlock(limit: PromptTemplate.valueLimit)
    isCut = value != clean
  }
}
