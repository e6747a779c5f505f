// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi ask`: fires a prompt into a workspace.
enum Ask {
  struct Options: Sendable, Equatable {
    var workspaces: [String] = []
    var model: String?
    var thinking: ThinkingLevel?
    var session: SessionName?
    var file: String?
    var images: [String] = []
    var name: String?
    var isWaiting = false
    var isFollowing = false
    var isPlain = false
    var onAsk: OnAsk?
    var isDryRun = false
    var desktop = DesktopOutcome.When.auto
    var prompt: [String] = []
  }

  static let command = Command(
    "ask",
    "Fire a prompt into a workspace",
    discussion: """
      Makes a session, hands it the prompt, waits until the server has taken it (10 s at most, or \
      --timeout), and prints the session's id. The agent then works without this machine.

      A workspace is named by its composite id, by server/workspace, by its name or id where only \
      one server has it, or by the beginning of its name; see 'oppi help workspaces'.

      With --wait it stays until the turn is over and prints the final answer alone; the exit status \
      is the turn's. An approval or a question is left to a human, unless --on-ask says to deny it \
      (the agent goes on without) or to fail (status 3, and the agent stays waiting). What an earlier \
      turn asks, behind which the prompt waits, does not count. The time that the agent takes to \
      start is part of the wait. --timeout limits all of it: after that the status is 124, and the \
      agent works on.

      The words of the prompt are joined by spaces. Put -- before a prompt that begins with a \
      hyphen. Standard input is read only for - , which stands alone or behind the words: then the \
      prompt is the words, a blank line and standard input, whose end is awaited for no longer than \
      --timeout. A prompt must be text in UTF-8.

      A session that was made for a prompt which the server or the agent then refused is removed \
      again. Servers from before mid-March 2026 do not say that an agent refused a prompt: --wait \
      finds out within seconds. There a failure after the first words of an answer looks like the \
      end of the turn.

      Without a terminal, but with a session bus, as behind a key, the outcome is shown as a desktop \
      notification, too; --gui always or --gui never decides that.

      With several -w each line of an answer begins with server/workspace and a tab. What is not \
      given may be set: see 'oppi help settings'.
      """,
    examples: [
      CommandExample("oppi ask -w api 'fix the failing test'", "Ask in the workspace api"),
      CommandExample(
        "git diff | oppi ask -w api 'review this' -",
        "Words, and text from another program"
      ),
      CommandExample("oppi ask -s last 'and now the docs'", "Go on in the session used last"),
      CommandExample(
        "oppi ask -w api --wait 'name the version'",
        "Wait, and print the answer alone"
      ),
      CommandExample("oppi ask -w api -w web --json 'update deps'", "Ask in two, answer as JSON"),
    ],
    exitStatuses: [0, 1, 3, 4, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124],
    members: AskStanding.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option(
        "workspace",
        short: "w",
        placeholder: "WORKSPACE",
        completion: .dynamic("workspace"),
        \.workspaces,
        "Ask in this workspace"
      ),
      .option(
        "model",
        short: "m",
        placeholder: "MODEL",
        completion: .dynamic("model"),
        \.model,
        "Use this model"
      ),
      .option(
        "thinking",
        short: "t",
        placeholder: "LEVEL",
        \.thinking,
        "How hard the model thinks"
      ),
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
        \.session,
        "Go on in this session"
      ),
      .option(
        "file",
        short: "F",
        placeholder: "FILE",
        completion: .file,
        \.file,
        "Read the prompt from FILE, - for standard input"
      ),
      .option(
        "image",
        placeholder: "FILE",
        completion: .file,
        \.images,
        "Attach this picture"
      ),
      .option("name", \.name, "Give the new session this title"),
      .flag("wait", \.isWaiting, "Wait for the turn and print the answer"),
      .flag("follow", \.isFollowing, "Wait, and show the turn live"),
      .flag("plain", \.isPlain, "With --follow: one line a change, no card"),
      .option(
        "on-ask",
        placeholder: "WHAT",
        \.onAsk,
        "With --wait: what to do when a human is asked"
      ),
      .option("gui", \.desktop, "Tell the outcome as a desktop notification"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, send nothing"),
      .positional("prompt", \.prompt, "The prompt, or - for standard input"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if options.session != nil {
      let newOnly = [
        ("--workspace", !options.workspaces.isEmpty), ("--model", options.model != nil),
        ("--name", options.name != nil),
      ]
      if let (flag, _) = newOnly.first(where: \.1) {
        throw UsageError(.contradiction("\(flag) is for a new session, --session for an old one"))
      }
    }
    if options.isWaiting, options.isFollowing {
      throw UsageError(.contradiction("--follow waits, too; give one of --wait and --follow"))
    }
    if options.isFollowing, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--follow shows one turn; use --wait with several -w"))
    }
    let isStaying = options.isWaiting || options.isFollowing
    if options.onAsk ?? .wait != .wait, !isStaying {
      throw UsageError(.contradiction("--on-ask goes with --wait or --follow"))
    }
    if options.file != nil, !options.prompt.isEmpty {
      throw UsageError(.contradiction("the prompt comes from --file or from the command line"))
    }
    if options.prompt.dropLast().contains("-") {
      throw UsageError(.contradiction("- reads standard input and comes last, behind the words"))
    }
    if options.file == nil, options.prompt.isEmpty {
      throw UsageError(.custom("no prompt"), hint: "give it as words, with -F FILE, or - for stdin")
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DesktopOutcome(command: "ask", context: context).telling(options.desktop) {
      try await ask(options, in: context)
    }
  }

  private static func ask(_ given: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    let options = try given.completed(from: settings)
    let context = try context.limited(by: settings)
    let prompt = try await AskInput.prompt(options, in: context)
    let images = try await AskInput.images(options, in: context)
    try AskInput.check(prompt, images)
    let targets = try await AskTargets.resolve(options, settings, in: context)
    let requests = targets.map { target in
      AskRequest(
        target: target,
        prompt: prompt,
        images: images,
        model: options.model,
        thinking: options.thinking,
        name: options.name,
        clientTurnID: context.loop.newID()
      )
    }
    if options.isDryRun {
      return try await print(
        requests.map { AskReport($0, width: context.console.policy.width).planned },
        in: context
      )
    }
    let runs = requests.map { request in
      AskJob(
        request: request,
        modelSource: given.model == nil
          ? .setting(.model, path: settings.path) : .option("--model"),
        waiting: waiting(options),
        isOnlyOne: requests.count == 1,
        context: context
      )
    }
    let report = runs.count == 1 ? await runs[0].run() : try await askAll(runs, in: context)
    await AskInput.warnOfUnreadInput(options, in: context)
    return report
  }

  /// Prints all reports but the last, which is returned.
  private static func print(_ reports: [Report], in context: Context) async throws -> Report {
    for report in reports.dropLast() { try await context.console.print(report) }
    return reports.last ?? .end()
  }

  private static func waiting(_ options: Options) -> AskJob.Waiting {
    let onAsk = options.onAsk ?? .wait
    if options.isFollowing { return .shownTurn(onAsk, isPlain: options.isPlain) }
    return options.isWaiting ? .turn(onAsk) : .delivery
  }

  /// Asks in several workspaces at the same time, and prints each report as it comes; one that
  /// fails leaves the others alone.
  private static func askAll(_ runs: [AskJob], in context: Context) async throws -> Report {
    let errors: [any Error] = await withTaskGroup(of: (any Error)?.self) { group in
      for run in runs {
        group.addTask {
          let report = await run.run()
          do {
            try await context.console.print(report)
            return report.failure
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { errors, error in
        if let error { errors.append(error) }
      }
    }
    if errors.contains(where: { $0 is ReaderGone }) { throw ReaderGone() }
    var failures: [OppiError] = errors.map { OppiError($0) }
    // An unknown delivery must not hide behind a failure that is safe to repeat.
    let worst = failures.firstIndex { $0.code.status == .deliveryUnknown } ?? failures.startIndex
    guard !failures.isEmpty else { return .end() }
    let failure = failures.remove(at: worst)
    // What was interrupted has nothing to explain.
    for other in failures where other.code != .interrupted {
      await context.console.report(other)
    }
    return .end(failure: failure)
  }
}
