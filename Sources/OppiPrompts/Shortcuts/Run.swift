// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiClient
package import OppiModel
import OppiTerminal
import OppiText

/// `oppi run`: runs a shortcut.
package enum Run {
  package struct Options: Sendable, Equatable {
    @Required package var name: ShortcutName
    package var values: [TemplateValue] = []
    var key: OutboxKey?
    var isWaiting = false
    package var desktop = DesktopOutcome.When.auto
    var isDryRun = false
    var isScheduled = false
    /// Whether to run even if the condition is not met.
    var isForced = false
    /// The answer after which it runs, in a chain.
    var after: Report.Answer?

    package init() {}
  }

  /// Standard input may be untrusted; longer input is rejected.
  private static let inputLimit = 4 << 20

  package static let command: Command = Command(
    "run",
    "Run a shortcut",
    discussion: """
      Sends the prompt of the shortcut with its options, like 'oppi ask': output and exit status \
      are the same. If a placeholder has no value, or a value has no placeholder, the command \
      fails before anything is sent; so does a shortcut that reads standard input if that is \
      empty. Values and standard input are inserted as text; control characters and invisible \
      characters are removed. A value has at most 4,096 characters.

      If the condition of the shortcut (--when) is not met, nothing is sent: state skipped, status \
      0. After a successful turn the shortcut named by its member 'then' runs; each run prints its \
      own result, and the status is that of the last one.

      With --wait the command waits for the turn and prints the answer, as with "wait": true in \
      the shortcut. It cannot be used with --key, or with a shortcut that queues its prompt.
      """,
    examples: [
      ("oppi run standup", "Run a shortcut, for example from a timer or a hotkey"),
      ("oppi run deploy --var branch=main", "Set the placeholder {{branch}}"),
      ("oppi run standup --wait > notes.md", "Wait for the answer"),
      ("git diff | oppi run review", "Run a shortcut that reads standard input"),
      ("oppi run -n review </dev/null", "Show what would be sent"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: AskResult.shape.rows,
    group: Group.triggers,
    options: Options(),
    arguments: [
      .option("var", placeholder: "NAME=VALUE", \.values, "Set a placeholder of the prompt"),
      .option("key", placeholder: "KEY", \.key, "Deliver the prompt at most once for this key"),
      .flag("wait", \.isWaiting, "Wait for the turn to end and print the answer"),
      .desktop(\.desktop),
      .flag("force", \.isForced, "Run even if the condition of the shortcut is not met"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, without sending it"),
      .flag(
        "scheduled",
        isHidden: true,
        \.isScheduled,
        "Run for the slot that is due, for timers"
      ),
      .shortcut(\.$name),
    ],
    validate: { (options) throws(UsageError) in
      if options.isWaiting, options.key != nil {
        throw UsageError(.contradiction("--key cannot be used with --wait"))
      }
      guard options.isScheduled else { return }
      if options.isDryRun || options.isWaiting || options.key != nil || options.isForced
        || !options.values.isEmpty
      {
        throw UsageError(.contradiction("--scheduled cannot be used with other options"))
      }
    },
    run: run
  )

  package static func run(_ options: Options, in context: Context) async throws -> Report {
    let name = options.name
    if options.isScheduled { return try await FiredShortcut(name, in: context).runDueSlot() }
    return try await DesktopOutcome(command: "run", context: context).notifying(options.desktop) {
      try await fire(options, named: name, in: context)
    }
  }

  /// Runs a shortcut and those that follow it, and reports what happened to the last prompt; the
  /// reports before it are printed.
  static func fire(
    _ options: Options,
    named name: ShortcutName,
    in context: Context
  ) async throws -> Report {
    let named = try shortcut(named: name, for: options, in: context)
    try context.shortcuts.checkChain(named.shortcut.then, after: name)
    let report = try await send(named, options, in: context.limited(by: named.shortcut))
    return try await report.continued(by: named.shortcut.then, in: context)
  }

  /// Sends the prompt if the condition is met.
  private static func send(
    _ named: NamedShortcut,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    let values = await values(for: named, options, in: context)
    // Report errors on the command line before waiting for standard input.
    try named.check(values)
    var key = options.key
    if let before = options.after, named.shortcut.isQueueing {
      // A prompt that goes through the outbox follows a turn at most once.
      key = key ?? OutboxKey(digestOf: ["then", before.turnID, named.name.text])
    }
    func send(_ output: String) async throws -> Report {
      let input = try await input(of: named, options, in: context)
      return try await ShortcutJob(
        named: named,
        text: try named.prompt(with: values, input: input, check: output),
        key: key,
        options: options,
        context: context
      ).run()
    }
    guard let condition = named.shortcut.condition else { return try await send("") }
    return try await ConditionCheck(
      condition: condition,
      name: named.name,
      context: context.services
    ).report(isForced: options.isForced, isTrial: options.isDryRun, of: send)
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
    guard options.key == nil || !shortcut.isWaiting else {
      throw OppiError(
        .usage,
        "shortcut \(name.text) has \"wait\": true, which cannot be used with --key"
      )
    }
    if options.isWaiting {
      guard !shortcut.isQueueing else {
        throw OppiError(
          .usage,
          "shortcut \(name.text) has \"queue\": true, which cannot be used with --wait"
        )
      }
      shortcut.isWaiting = true
    }
    return NamedShortcut(name: name, shortcut: shortcut)
  }

  /// The values of the placeholders that the command line and the turn before give.
  private static func values(
    for named: NamedShortcut,
    _ options: Options,
    in context: Context
  ) async -> [String: String] {
    for value in options.values where value.isCut {
      await context.output.warn(
        "the value of '\(value.name)' was truncated to \(PromptTemplate.valueLimit) characters"
      )
    }
    var values = Dictionary(options.values.map { ($0.name, $0.value) }) { $1 }
    if let before = options.after,
      named.shortcut.template.names.contains(ShortcutChain.placeholder)
    {
      values[ShortcutChain.placeholder] = before.text.safeBlock(limit: ShortcutChain.answerLimit)
    }
    return values
  }

  /// Standard input; `nil` if the shortcut does not read it.
  private static func input(
    of named: NamedShortcut,
    _ options: Options,
    in context: Context
  ) async throws -> [UInt8]? {
    guard named.shortcut.readsInput else { return nil }
    let input = try await context.standardInput(limit: inputLimit)
    let isEmpty = String(decoding: input, as: UTF8.self).allSatisfy(\.isWhitespace)
    guard !isEmpty || options.isDryRun else { throw OppiError.emptyInput }
    return input
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

extension Report {
  /// After a successful turn, prints the report and runs the next shortcut of the chain.
  ///
  /// Returns the report of the last one. If the program ends between two turns, the second is not
  /// sent.
  func continued(by next: ShortcutName?, in context: Context) async throws -> Report {
    guard let next, failure == nil, let answer else { return self }
    do {
      try await context.output.print(self)
    } catch is OutputClosed {}
    await context.output.status(StyledText("then \(next.text)"))
    var options = Run.Options()
    options.after = answer
    var report = try await Run.fire(options, named: next, in: context)
    report.result = result.map { $0.followed(by: report.result) } ?? report.result
    return report
  }

  /// The report of a run whose condition is not met.
  static func skipped(because reason: String) -> Report {
    var report = Report(
      [
        "state": .string(ScheduleRun.State.skipped),
        "reason": ["code": "condition", "message": .string(reason)],
      ],
      status: StyledText("skipped: \(reason)")
    )
    report.result = RunResult(state: ScheduleRun.State.skipped)
    return report
  }
}
