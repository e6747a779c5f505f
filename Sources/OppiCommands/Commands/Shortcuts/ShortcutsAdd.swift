// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi shortcuts add`.
enum ShortcutsAdd {
  struct Options: Sendable, Equatable {
    var words: [String] = []
    var file: String?
    var shortcut = Shortcut()
    var values: [TemplateValue] = []
    var isReplacing = false
  }

  static let command: Command = Command(
    "add",
    "Make a shortcut of an ask",
    discussion: """
      In the prompt {{branch}} stands for what 'oppi run NAME --var branch=main' gives, once and as \
      text: what a value has in braces stays as it is. --var gives values for runs that do not, \
      and {{input}} is standard input, which is read with --input alone.

      With --session same a run goes on in the session of the last one, which is made anew where it \
      is gone. With --after stop the session is ended when the turn is over, which frees its place \
      (a server has 20 for a workspace): by the run itself with --wait, unless --timeout passes \
      first, else by 'oppi watch' or 'oppi outbox flush'. A --timeout is the shortcut's, too.

      It is a file of its own, JSON with comments; a prompt of several lines is a text file beside \
      it. Triggers name the shortcut: no prompt goes into a crontab, a unit, a rule or a key, where \
      %, $ and ; would mangle it and others could read it.
      """,
    examples: [
      CommandExample(
        "oppi shortcuts add standup -w api --queue 'what was done yesterday?'",
        "For a timer: run it with 'oppi run standup'"
      ),
      CommandExample(
        "oppi shortcuts add review -w api --input 'review this: {{input}}'",
        "For a pipe: git diff | oppi run review"
      ),
      CommandExample(
        "oppi shortcuts add nightly -w api -F nightly.md --wait --after stop",
        "A longer prompt; waits, and frees its place"
      ),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 73, 74, 78],
    members: ShortcutRow.shape.rows,
    positional: RequiredPositional<ShortcutName>("name", "What it is called"),
    options: Options(),
    arguments: place + manner + text,
    validate: { (options) throws(UsageError) in
      if options.file != nil, !options.words.isEmpty {
        throw UsageError(.contradiction("the prompt comes from --file or from the command line"))
      }
      if options.file == nil, options.words.isEmpty {
        throw UsageError(
          .custom("no prompt"),
          hint: "give it as words, with -F FILE, or - for stdin"
        )
      }
    },
    run: run
  )

  private static let place: [Argument<Options>] = [
    .workspace(\.shortcut.workspace, "Ask in this workspace"),
    .option(
      "model",
      short: "m",
      placeholder: "MODEL",
      completion: .dynamic("model"),
      \.shortcut.model,
      "Use this model"
    ),
    .option("thinking", short: "t", \.shortcut.thinking, "How hard the model thinks"),
    .option("title", \.shortcut.title, "Give its sessions this title, not its name"),
    .option("session", \.shortcut.conversation, "In which session it goes on"),
    .option("after", \.shortcut.ending, "What becomes of the session after the turn"),
  ]

  private static let manner: [Argument<Options>] = [
    .flag("wait", \.shortcut.isWaiting, "Wait for the turn and print the answer"),
    .option(
      "on-ask",
      placeholder: "WHAT",
      \.shortcut.onAsk,
      "With --wait: what to do when a human is asked"
    ),
    .flag("queue", \.shortcut.isQueueing, "Keep it where it cannot be delivered now"),
    .option("expires", \.shortcut.expiry, "With --queue: drop it after this time"),
  ]

  private static let text: [Argument<Options>] = [
    .option(
      "file",
      short: "F",
      placeholder: "FILE",
      completion: .file,
      \.file,
      "Read the prompt from FILE, - for standard input"
    ),
    .flag("input", \.shortcut.readsInput, "Read standard input, for {{input}}"),
    .option("var", placeholder: "NAME=VALUE", \.values, "A value where a run gives none"),
    .flag("replace", \.isReplacing, "Take the place of one that is there"),
    .positional("prompt", \.words, "The prompt, or - for standard input"),
  ]

  static func run(
    _ name: ShortcutName,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    let store = context.shortcuts
    let isNew = try store.load(name.text) == nil
    guard options.isReplacing || isNew else {
      throw OppiError(
        .cannotCreate,
        "there is a shortcut '\(name.text)' already",
        hints: ["change it with: oppi shortcuts edit \(name.text)", "or add --replace"]
      )
    }
    var shortcut = options.shortcut
    var input = Ask.Options()
    (input.file, input.prompt) = (options.file, options.words)
    shortcut.prompt = try await AskInput.prompt(input, in: context)
    shortcut.timeout = context.options.timeout
    shortcut.variables = Dictionary(options.values.map { ($0.name, $0.value) }) { $1 }
    if let defect = shortcut.defect {
      throw OppiError(.badInput, "the shortcut \(name.text) \(defect)")
    }
    let workspace = try await workspace(shortcut.workspace, in: context)
    if let model = shortcut.model { try await check(model, of: workspace, in: context) }
    // It goes on in no session of an earlier shortcut of this name, whose prompt may have been
    // delivered since that was removed.
    if isNew { try await context.shortcutSessions.forget(name.text) }
    try store.save(store.file(of: shortcut, named: name), as: name.text)
    for isPrompt in [false, true] { try store.dropDraft(of: name.text, isPrompt: isPrompt) }
    let row = ShortcutRow(name: name, shortcut: shortcut)
    return Report(
      ShortcutRow.shape.document(of: row),
      status: StyledText("run it with: \(row.example)")
    )
  }

  /// A name that no server knows is told now, and not in the night; servers that are away are no
  /// reason to wait.
  private static func workspace(
    _ word: String?,
    in context: Context
  ) async throws -> ServerWorkspace? {
    do {
      return try await context.workspace(named: word)
    } catch let error as OppiError
      where [.serverUnreachable, .timedOut, .serverError].contains(error.code)
    {
      await context.console.warn("the workspace could not be checked: \(error.message)")
      return nil
    }
  }

  /// As for a workspace; without one, any server may be meant.
  private static func check(
    _ model: String,
    of workspace: ServerWorkspace?,
    in context: Context
  ) async throws {
    let servers = try workspace.map { [$0.server] } ?? context.servers()
    switch try await context.intents.standing(ofModel: model, on: servers) {
    case .offered: return
    case .unknown(let error): throw OppiError(error).tracing(.option("--model"))
    case .unchecked(let error): await context.intents.warn(ofUncheckedModel: error)
    }
  }
}

/// A value for a name of a prompt, as an option gives it: `branch=main`.
struct TemplateValue: ArgumentValue, Equatable {
  static let placeholder = "NAME=VALUE"
  /// The most characters of a value.
  static let lengthLimit = 4096

  let name: String
  /// Without what does not show as itself.
  let value: String
  /// Whether a part of it is left out.
  let isCut: Bool

  init(argument: String) throws(ArgumentValueError) {
    guard let equals = argument.firstIndex(of: "="),
      PromptTemplate.isName(argument[..<equals])
    else { throw ArgumentValueError("expects NAME=VALUE with a name of the prompt") }
    name = String(argument[..<equals])
    let clean = String(argument[argument.index(after: equals)...]).safeBlock()
    value = clean.safeBlock(limit: Self.lengthLimit)
    isCut = value != clean
  }
}
