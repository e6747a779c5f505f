// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi show`: the turns and tool calls of a session.
enum Show {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isWhole = false
    var turns: Int?
    var call: Int?
    var isMarkdown = false
  }

  static let command: Command = Command(
    "show",
    "Show a session's last turn or its whole conversation",
    discussion: """
      Shows the last turn of a session: the prompt, the agent's messages and tool calls, and the \
      outcome. Without SESSION, shows the last session. In a pipe only the answer is printed. \
      --turns and --all show more turns. Each tool call has a number; --call shows its arguments \
      and its full output, in a pipe only the output.

      The exit status is the outcome of the turn, as with 'oppi follow' for an idle session, and 0 \
      for --call. For a turn that is still running, the recorded part is shown, and the status is \
      75, or 3 if it waits for an approval or an answer; 'oppi follow' watches the rest. No agent is started.

      The agent's Markdown is formatted only on terminals; the addresses of links are always \
      shown. --color always formats it in a pipe too.

      --markdown prints a document for an issue, a wiki or a file: the title of the session and \
      its workspace, server, model and times, and a section for each turn with its prompt, the \
      agent's messages and the tool calls with their folded outputs. HTML in texts from the \
      server is escaped, headings of answers are lowered by two levels, and of an output of more \
      than \(ConversationMarkdown.lineLimit) lines the middle is left out. With --json the \
      document is a member.
      """,
    examples: [
      CommandExample("oppi show", "Show the result of the last prompt"),
      CommandExample("oppi show last --call 3", "Show the full output of a call"),
      CommandExample("oppi show CdJR04ap --all", "Show a whole conversation"),
      CommandExample("oppi show --all --markdown > session.md", "Export a conversation"),
      CommandExample("oppi show --all --color always | less -R", "Page through a conversation"),
    ],
    exitStatuses: [0, 1, 3, 4, 6, 64, 66, 69, 75, 76, 77, 78],
    members: Shown.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("all", \.isWhole, "Show the whole conversation"),
      .option("turns", placeholder: "N", \.turns, "Show the last N turns"),
      .flag("markdown", \.isMarkdown, "Print the turns as a Markdown document"),
      .option("call", placeholder: "NUMBER", \.call, "Show one call with its full output"),
      .positional("session", completion: .dynamic("session"), \.session, "The session"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    let choices = [options.isWhole, options.turns != nil, options.call != nil]
    guard choices.count(where: \.self) <= 1 else {
      throw UsageError(.contradiction("give only one of --all, --turns and --call"))
    }
    if options.isMarkdown, options.call != nil {
      throw UsageError(.contradiction("--markdown prints turns; it cannot be used with --call"))
    }
    if let turns = options.turns, turns < 1 {
      throw UsageError(.custom("--turns expects 1 or more"))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let name = try options.session ?? SessionName(argument: "last")
    let found = try await context.session(named: name)
    let api = try await context.connections.client(for: found.server)
      .limited(to: context.options.timeout)
    let session = try await SessionGlance.located(found, api: api)
    let reading = ReadConversation(api: api, words: context.turnWords)
    let conversation = try await reading.read(session)
    let transcript = conversation.transcript
    if let number = options.call {
      guard var call = transcript.call(number) else {
        throw OppiError.noSuchCall(number, of: transcript.callCount, in: session.id)
      }
      if let output = try await reading.wholeOutput(of: call, in: session) { call.output = output }
      return ShowReport(session, conversation, context).report(of: call)
    }
    let count = options.isWhole ? Int.max : options.turns ?? 1
    let turns = try await reading.turns(count, of: transcript)
    let report = ShowReport(session, conversation, context)
    if options.isMarkdown { return report.markdown(of: turns) }
    let isAnswer = !options.isWhole && options.turns == nil
    return report.report(of: turns, isAnswer: isAnswer)
  }
}
