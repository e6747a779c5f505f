// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi run`: fires a shortcut.
enum Run {
  struct Options: Sendable, Equatable {
    var values: [TemplateValue] = []
    var key: OutboxKey?
    var desktop = DesktopOutcome.When.auto
    var isDryRun = false
    var isScheduled = false
  }

  /// What comes over standard input is a message of somebody else's; a longer one is refused.
  private static let inputLimit = 4 << 20

  static let command: Command = Command(
    "run",
    "Fire a shortcut",
    discussion: """
      Asks what the shortcut says, where and how it says it, as 'oppi ask' would: the output and \
      the status are the same. A name of the prompt without a value, or a value without a name, is \
      an error before anything is sent. Values, and standard input where the shortcut reads it, are \
      taken as text without control and invisible characters; a value has 4,096 characters at most.
      """,
    examples: [
      CommandExample("oppi run standup", "What a timer or a key runs"),
      CommandExample("oppi run deploy --var branch=main", "With a value for {{branch}}"),
      CommandExample("git diff | oppi run review", "A shortcut that reads standard input"),
      CommandExample("oppi run -n review </dev/null", "See what would be sent"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124],
    members: AskStanding.shape.rows,
    group: Group.triggers,
    positional: Shortcuts.name,
    options: Options(),
    arguments: [
      .option("var", placeholder: "NAME=VALUE", \.values, "A value for a name of the prompt"),
      .option("key", placeholder: "KEY", \.key, "Run it once under this key, however often asked"),
      .option("gui", \.desktop, "Tell the outcome as a desktop notification"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, send nothing"),
      .flag(
        "scheduled",
        isHidden: true,
        \.isScheduled,
        "For the slot that is due, as a timer has it"
      ),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isScheduled else { return }
      if options.isDryRun || options.key != nil || !options.values.isEmpty {
        throw UsageError(.contradiction("--scheduled goes with a name alone"))
      }
    },
    run: run
  )

  static func run(
    _ name: ShortcutName,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    if options.isScheduled { return try await FiredShortcut(name, in: context).runScheduled() }
    return try await DesktopOutcome(command: "run", context: context).telling(options.desktop) {
      try await fire(options, named: name, in: context)
    }
  }

  /// Fires a shortcut, and says what became of it.
  static func fire(
    _ options: Options,
    named name: ShortcutName,
    in context: Context
  ) async throws -> Report {
    let shortcut = try context.shortcuts.shortcut(name)
    guard options.key == nil || !shortcut.isWaiting else {
      throw OppiError(
        .usage,
        "the shortcut \(name.text) waits for its turn, and --key goes with one that does not"
      )
    }
    let context = context.limited(by: shortcut)
    let prompt = try await prompt(of: shortcut, named: name, options, in: context)
    let job = ShortcutJob(
      name: name,
      shortcut: shortcut,
      text: prompt,
      key: options.key,
      isDryRun: options.isDryRun,
      context: context
    )
    return try await job.run()
  }

  /// The prompt with its values.
  private static func prompt(
    of shortcut: Shortcut,
    named name: ShortcutName,
    _ options: Options,
    in context: Context
  ) async throws -> String {
    var values = Dictionary(options.values.map { ($0.name, $0.value) }) { $1 }
    for value in options.values where value.isCut {
      await context.console.warn(
        "the value of '\(value.name)' was cut to \(TemplateValue.lengthLimit) characters"
      )
    }
    guard values[PromptTemplate.input] == nil else {
      throw OppiError(.usage, "'input' is what comes over standard input, and has no --var")
    }
    // A shortcut's own values may come from anywhere, too.
    var given = shortcut.variables.mapValues { $0.safeBlock(limit: TemplateValue.lengthLimit) }
    // What is wrong with the command line is told before standard input is waited for.
    if shortcut.readsInput { given[PromptTemplate.input] = "" }
    _ = try fill(shortcut, named: name, values, given)
    if shortcut.readsInput {
      let bytes = try await context.standardInput(limit: inputLimit)
      values[PromptTemplate.input] = String(decoding: bytes, as: UTF8.self).safeBlock()
    }
    let prompt = try fill(shortcut, named: name, values, given)
    guard !prompt.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the prompt of \(name.text) is empty")
    }
    try AskInput.check(prompt, [])
    return prompt
  }

  private static func fill(
    _ shortcut: Shortcut,
    named name: ShortcutName,
    _ values: [String: String],
    _ defaults: [String: String]
  ) throws(OppiError) -> String {
    do {
      return try shortcut.template.filled(with: values, defaults: defaults)
    } catch {
      switch error {
      case .missing(let names):
        let others = values.keys.filter { !shortcut.template.names.contains($0) }.sorted()
        let remark = others.first.map { "; its prompt has no {{\($0)}}" } ?? ""
        let options = names.map { "--var \($0)=..." }.joined(separator: " ")
        throw OppiError(
          .usage,
          "the shortcut \(name.text) needs a value for \(names.joined(separator: ", "))\(remark)",
          hints: ["give it with: oppi run \(name.text) \(options)"]
        )
      case .unknown(let names):
        throw OppiError(
          .usage,
          "the prompt of \(name.text) has no {{\(names[0])}}",
          hints: ["see it with: oppi shortcuts show \(name.text)"]
        )
      }
    }
  }
}

extension Context {
  /// The same with the time limit of a shortcut where the command line has none.
  fileprivate func limited(by shortcut: Shortcut) -> Context {
    var options = options
    options.timeout = options.timeout ?? shortcut.timeout
    return with(options)
  }
}
