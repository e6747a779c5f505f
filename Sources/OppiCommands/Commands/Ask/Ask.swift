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
    var isQueueing = false
    var expiry: Duration?
    var key: OutboxKey?
    var isAgain = false
    var isDryRun = false
    var desktop = DesktopOutcome.When.auto
    var prompt: [String] = []
  }

  static let command: Command = Command(
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

      With --queue a prompt that cannot be delivered now (the server is away, or has no room) is \
      kept in the outbox, which is status 0 with state outbox and no session's id, and delivered \
      later by 'oppi watch', by 'oppi outbox flush' or its timer: once at most, since after a lost \
      connection the server is asked before anything is sent again. One for a session waits there \
      behind what was kept for that session before, and the same prompt waits once, unless keys tell \
      them apart. --expires says when it is too late for it. Under the same --key a prompt runs once, \
      however often it is asked; the key is remembered for 30 days.

      With several -w each line of an answer begins with server/workspace and a tab. What is not \
      given may be set, for all workspaces, for one, and for the folder that you are in: see 'oppi \
      help settings'. 'oppi models' lists what -m takes: nothing is sent where the server does not \
      offer the model that is named.
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
      CommandExample(
        "oppi ask -w api --queue --expires 2h 'run the nightly checks'",
        "Now, or when the server is back within 2 h"
      ),
      CommandExample("oppi ask --again", "The last prompt once more, in a new session"),
      CommandExample("oppi ask -w api -w web --json 'update deps'", "Ask in two, answer as JSON"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124],
    members: AskStanding.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DesktopOutcome(command: "ask", context: context).telling(options.desktop) {
      try await ask(options, in: context)
    }
  }

  private static func ask(_ options: Options, in context: Context) async throws -> Report {
    if options.isAgain { return try await askAgain(options, in: context) }
    let settings = try await Config.load(in: context)
    let limited = try context.limited(by: WorkspaceSettings(settings: settings))
    let text = try await AskInput.prompt(options, in: limited)
    let images = try await AskInput.images(options, in: limited)
    try AskInput.check(text, images)
    let order = options.order(text: text, images: images)
    let report = try await send(order, settings, in: context)
    await AskInput.warnOfUnreadInput(options, in: context)
    return report
  }

  /// Sends a prompt of the history again, to its workspace unless the options say otherwise.
  private static func askAgain(_ options: Options, in context: Context) async throws -> Report {
    let number = options.prompt.first.flatMap { Int($0) } ?? 1
    let entry = try context.history.entry(number: number)
    var options = options
    if options.workspaces.isEmpty, options.session == nil {
      options.workspaces = [try await workspace(of: entry, in: context).description]
    }
    let settings = try await Config.load(in: context)
    return try await send(options.order(text: entry.prompt), settings, in: context)
  }

  /// The workspace in which a prompt was asked.
  ///
  /// - Throws: `OppiError` where only its session is known, and no server has that any more.
  private static func workspace(
    of entry: AskHistoryFile.Entry,
    in context: Context
  ) async throws -> WorkspaceReference {
    if let workspace = entry.workspace { return workspace }
    // A prompt for a session is kept without asking the server where that is.
    let id = entry.sessionID ?? entry.place.split(separator: "/").last.map(String.init) ?? ""
    let (found, failure) = try await context.fleet().sessions()
    if let match = found.first(where: { $0.session.id == id }),
      let workspace = match.session.workspaceID.flatMap({
        WorkspaceReference(serverID: match.server.id, workspaceID: $0)
      })
    {
      return workspace
    }
    if let failure { throw failure }
    throw OppiError(goneSessionOfHistory: id)
  }
}
