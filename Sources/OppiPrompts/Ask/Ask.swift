// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiText
import OppiWire

/// `oppi ask`: sends a prompt to a workspace.
package enum Ask {
  struct Options: Sendable, Equatable {
    /// Without the text and the images, which are read later.
    var prompt = Prompt("")
    var workspaces: [String] = []
    var session: SessionName?
    var file: String?
    var images: [String] = []
    var isWaiting = false
    var isFollowing = false
    var isPlain = false
    var onAsk: OnAsk?
    var onLimit = OnLimit.fail
    var schema: String?
    var verify: String?
    var verifyRetries: RetryCount?
    var then: ShortcutName?
    var isQueueing = false
    var expiry: Duration?
    var key: OutboxKey?
    var isAgain = false
    var isDryRun = false
    var desktop = DesktopOutcome.When.auto
    var words: [String] = []
  }

  package static let command: Command = Command(
    "ask",
    "Send a prompt to a workspace",
    discussion: """
      Creates a session, sends it the prompt, waits until the server accepts it (10 s, or \
      --timeout), and prints the session id. The agent then works on the server.

      A workspace is specified by its composite id, by server/workspace, by its name or id if \
      only one server has it, or by the start of its name; see 'oppi help workspaces'.

      With --wait the command waits until the turn ends and prints only the final answer; the exit \
      status is the outcome of the turn. By default it keeps waiting while an approval or a \
      question is pending. --on-ask deny denies the request, and the agent continues; --on-ask \
      fail exits with status 3, and the request stays pending. If the server does not accept a \
      denial for 2 minutes, --on-ask deny does the same as --on-ask fail. If the prompt is queued \
      behind a running turn, requests of that turn are ignored. The wait includes the start of the \
      agent. --timeout limits the total time: if it elapses, the status is 124, and the agent \
      continues.

      A turn that fails because of a usage limit of the model's provider has the state limited and \
      the status 75, with the time of the reset if the provider states it. With --on-limit wait \
      the command then waits until the reset and asks the agent to continue in the same session; \
      with --on-limit queue that request is queued in the outbox, and sent once after the reset. \
      Neither continues a session that has since received another message. Without a stated \
      time, or if --timeout elapses earlier, the command fails.

      --max-cost stops a turn that costs more than that, by the server's figures: state stopped, \
      status 4, reason budget. If the server reports the cost only at the end of the turn, the \
      answer is printed, with the same status and reason. The settings budget.day and budget.month \
      limit the costs of a workspace; a prompt that would start over budget is not sent (status \
      75). See 'oppi help costs'.

      --schema requires an answer in JSON: the schema is sent with the prompt, and only the JSON is \
      printed. If the answer does not match, the agent is asked once more in the same session; then \
      the status is 65. --verify runs a command in the shell after the turn, with the answer as \
      standard input; if it fails, so does the turn (status 1, reason not-verified). \
      --verify-retries sends its output to the agent up to N times. --then runs a shortcut after \
      success; its prompt can contain {{answer}}. See 'oppi help checks'.

      The arguments of the prompt are joined by spaces. Put -- before a prompt that starts with \
      a hyphen. Standard input is read only for - , as the only or the last argument: the prompt \
      is then the other arguments, a blank line and standard input. --timeout also limits \
      reading it. A prompt must be UTF-8 text.

      --image attaches a PNG, JPEG, GIF or WebP file of at most 16 MiB. Servers since May 2026 get \
      the images before the prompt and limit their size; if an image is refused or lost, the \
      prompt is not sent. The time for them is part of the 10 s: for large images on a slow line \
      set --timeout.

      If the server or the agent refuses the prompt, the session created for it is deleted. \
      Servers older than mid-March 2026 do not report that the agent refused a prompt: --wait \
      detects it within seconds. With these servers a failure after the first text of an answer \
      looks like the end of the turn.

      Without a terminal but with a session bus, as for a hotkey, the result is also shown as a \
      desktop notification; --gui always or --gui never overrides that.

      With --queue a prompt that cannot be delivered now (the server is unreachable or has no room \
      for another session) is saved in the outbox: status 0, state outbox, no session id. 'oppi \
      watch', 'oppi outbox flush' or its timer delivers it later, at most once: after a lost \
      connection the server is checked before anything is resent. Queued prompts for a session are \
      delivered in order, and an identical prompt is queued only once unless keys differ. \
      --expires sets a deadline for delivery. A prompt with the same --key runs only once, even if \
      the command is repeated; keys are kept for 30 days.

      With several -w, each line of an answer starts with server/workspace and a tab. Defaults can \
      be set for all workspaces, for one, and for the current folder: see 'oppi help settings'. \
      'oppi models' lists the values for -m: nothing is sent if the server does not offer the \
      model.
      """,
    examples: [
      ("oppi ask -w api 'fix the failing test'", "Send a prompt to the workspace api"),
      ("git diff | oppi ask -w api 'review this' -", "Append the output of another program"),
      ("oppi ask -s last 'and now the docs'", "Continue the last session"),
      ("oppi ask -w api --wait 'name the version'", "Wait and print only the answer"),
      (
        "oppi ask -w api --queue --expires 2h 'run the nightly checks'",
        "Deliver now, or within 2 h when the server is available"
      ),
      ("oppi ask --again", "Resend the last prompt in a new session"),
      ("oppi ask -w api -w web --json 'update deps'", "Send to two workspaces, print JSON"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: AskResult.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DesktopOutcome(command: "ask", context: context).notifying(options.desktop) {
      if options.isAgain { return try await askAgain(options, in: context) }
      let settings = try await Config.load(in: context)
      let limited = try context.limited(by: WorkspaceSettings(settings: settings))
      var filled = options
      filled.prompt.text = try await AskInput.prompt(options, in: limited)
      filled.prompt.images = try await AskInput.images(options, in: limited)
      let report = try await send(filled, settings, in: context)
      await AskInput.warnOfUnreadInput(options, in: context)
      return report
    }
  }

  /// Sends the prompt, and runs the shortcut that follows it.
  private static func send(
    _ options: Options,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    var order = options.order
    order.checks.schema = try await AskInput.schema(options.schema, in: context)
    try context.shortcuts.checkChain(options.then, after: nil)
    return try await send(order, settings, in: context).continued(by: options.then, in: context)
  }

  /// Resends a prompt of the history, to its workspace unless the options say otherwise.
  private static func askAgain(_ options: Options, in context: Context) async throws -> Report {
    let entry = try context.history.entry(number: options.words.first.flatMap { Int($0) })
    var options = options
    options.prompt.text = entry.prompt
    if options.workspaces.isEmpty, options.session == nil {
      options.workspaces = [try await workspace(of: entry, in: context).description]
    }
    let settings = try await Config.load(in: context)
    return try await send(options, settings, in: context)
  }

  /// The workspace of a prompt in the history.
  ///
  /// - Throws: `OppiError` if only its session is recorded, and it is on no server.
  private static func workspace(
    of entry: AskHistoryFile.Entry,
    in context: Context
  ) async throws -> WorkspaceReference {
    if let workspace = entry.workspace { return workspace }
    // A prompt for a session may be recorded without its workspace.
    let id = entry.sessionID ?? entry.place.split(separator: "/").last.map(String.init) ?? ""
    let (found, failures) = try await context.fleet().sessions()
    if let match = found.first(where: { $0.session.id == id }),
      let workspace = match.session.workspaceID.flatMap({
        WorkspaceReference(serverID: match.server.id, workspaceID: $0)
      })
    {
      return workspace
    }
    if let failure = failures.first { throw failure.error }
    throw OppiError(
      .noSuchSession,
      "session \(id.safeLine()) of the prompt no longer exists",
      hints: ["specify a workspace with -w"]
    )
  }
}

extension Ask {
  static var arguments: [Argument<Options>] {
    [
      .workspace(\.workspaces, "Send the prompt to this workspace"),
      .model(\.prompt.model),
      .thinking(\.prompt.thinking),
      .session(\.session, "Continue this session"),
      .promptFile(\.file),
      .option("image", placeholder: "FILE", completion: .file, \.images, "Attach an image"),
      .option("name", \.prompt.title, "Set the title of the new session"),
      .flag("wait", \.isWaiting, "Wait for the turn to end and print the answer"),
      .flag("follow", \.isFollowing, "Like --wait, and show the turn live"),
      .flag("plain", \.isPlain, "With --follow: print one line per change and redraw nothing"),
      .onAsk(\.onAsk),
      .onLimit(\.onLimit),
      .maxCost(\.prompt.budget.turn),
      .schema(\.schema),
      .verify(\.verify),
      .verifyRetries(\.verifyRetries),
      .then(\.then),
      .flag(
        "again",
        joinsPositional: true,
        \.isAgain,
        "Resend the last prompt, or prompt N of 'oppi history'"
      ),
      .flag("queue", \.isQueueing, "Queue the prompt if it cannot be delivered now"),
      .option("expires", \.expiry, "With --queue: do not deliver the prompt after this time"),
      .option("key", placeholder: "KEY", \.key, "Deliver the prompt at most once for this key"),
      .desktop(\.desktop),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, without sending it"),
      .positional("prompt", \.words, "The prompt, or - for standard input"),
    ]
  }
}
