// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi run`: runs a shortcut.
enum Run {
  struct Options: Sendable, Equatable {
    var values: [TemplateValue] = []
    var key: OutboxKey?
    var isWaiting = false
    var desktop = DesktopOutcome.When.auto
    var isDryRun = false
    var isScheduled = false
  }

  /// Standard input may be untrusted; longer input is rejected.
  private static let inputLimit = 4 << 20

  static let command: Command = Command(
    "run",
    "Run a shortcut",
    discussion: """
      Sends the prompt of the shortcut with its options, like 'oppi ask': output and exit status \
      are the same. If a placeholder has no value, or a value has no placeholder, the command \
      fails before anything is sent. Values and standard input are inserted as text; control \
      characters and invisible characters are removed. A value has at most 4,096 characters.

      With --wait the command waits for the turn and prints the answer, as with "wait": true in \
      the shortcut. It cannot be used with --key, or with a shortcut that queues its prompt.
      """,
    examples: [
      CommandExample("oppi run standup", "Run a shortcut, for example from a timer or a hotkey"),
      CommandExample("oppi run deploy --var branch=main", "Set the placeholder {{branch}}"),
      CommandExample("oppi run standup --wait > notes.md", "Wait for the answer"),
      CommandExample("git diff | oppi run review", "Run a shortcut that reads standard input"),
      CommandExample("oppi run -n review </dev/null", "Show what would be sent"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: AskStanding.shape.rows,
    group: Group.triggers,
    positional: Shortcuts.name,
    options: Options(),
    arguments: [
      .option("var", placeholder: "NAME=VALUE", \.values, "Set a placeholder of the prompt"),
      .option("key", placeholder: "KEY", \.key, "Deliver the prompt at most once for this key"),
      .flag("wait", \.isWaiting, "Wait for the turn to end and print the answer"),
      .desktop(\.desktop),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, without sending it"),
      .flag(
        "scheduled",
        isHidden: true,
        \.isScheduled,
        "Run for the slot that is due, for timers"
      ),
    ],
    validate: { (options) throws(UsageError) in
      if options.isWaiting, options.key != nil {
        throw UsageError(.contradiction("--key cannot be used with --wait"))
      }
      guard options.isScheduled else { return }
      if options.isDryRun || options.isWaiting || options.key != nil || !options.values.isEmpty {
        throw UsageError(.contradiction("--scheduled cannot be used with other options"))
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

  /// Runs a shortcut, and reports what happened to its prompt.
  static func fire(
    _ options: Options,
    named name: ShortcutName,
    in context: Context
  ) async throws -> Report {
    let named = try shortcut(named: name, for: options, in: context)
    let context = context.limited(by: named.shortcut)
    let job = ShortcutJob(
      named: named,
      text: try await prompt(of: named, options, in: context),
      key: options.key,
      isDryRun: options.isDryRun,
      context: context
    )
    return try await job.run()
  }

  /// Reads the shortcut, and checks that it can run with the options.
  ///
  /// It is not inlined because the optimizer of Swift 6.3.1 crashes on an inlined copy.
  @inline(never)
  private static func shortcut(
    named name: ShortcutName,
    for options: Options,
    in context: Context
  ) throws -> NamedShortcut {
    var shortcut = try context.shortcuts.shortcut(name)
    guard options.key == nil || !shortcut.isWaiting else { throw ShortcutError.keyOfWaiting(name) }
    if options.isWaiting {
      guard !shortcut.isQueueing else { throw ShortcutError.waitOfQueueing(name) }
      shortcut.isWaiting = true
    }
    return NamedShortcut(name: name, shortcut: shortcut)
  }

  /// The prompt with its placeholders filled in.
  private static func prompt(
    of named: NamedShortcut,
    _ options: Options,
    in context: Context
  ) async throws -> String {
    for value in options.values where value.isCut {
      await context.console.warn(
        "the value of '\(value.name)' was truncated to \(PromptTemplate.valueLimit) characters"
      )
    }
    let values = Dictionary(options.values.map { ($0.name, $0.value) }) { $1 }
    // Report errors on the command line before waiting for standard input.
    let prompt = try ShortcutPrompt(of: named, with: values)
    var input: [UInt8]?
    if named.shortcut.readsInput { input = try await context.standardInput(limit: inputLimit) }
    let text = try prompt.text(input: input)
    try AskInput.check(text, [])
    return text
  }
}

extension Context {
  /// The same context, with the shortcut's time limit unless the command line has one.
  fileprivate func limited(by shortcut: Shortcut) -> Context {
    var options = options
    options.timeout = options.timeout ?? shortcut.timeout
    return with(options)
  }
}
