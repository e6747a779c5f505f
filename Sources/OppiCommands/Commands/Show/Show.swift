// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi show`: what was said and done in a session.
enum Show {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isWhole = false
    var turns: Int?
    var call: Int?
  }

  static let command: Command = Command(
    "show",
    "Show a session's last turn, or all of it",
    discussion: """
      Shows the last turn of a session, the one used last without a SESSION: the prompt, what the \
      agent said and did, and what it came to. In a pipe it is the answer alone. --turns and --all \
      show more of the conversation. Each call of a tool has a number, by which --call shows all \
      that it was made with and has printed; in a pipe the output alone.

      The status is the turn's own, as 'oppi follow' has it for a session at rest, and 0 for a call \
      that is there. A turn that still runs is shown as far as it is written down: the status is 75, \
      or 3 where it waits for an approval, and 'oppi follow' watches the rest. No agent is started.

      The agent's Markdown is laid out for terminals only; the addresses of links are always shown. \
      With --color always a pipe gets what a terminal would.
      """,
    examples: [
      CommandExample("oppi show", "What came of the last prompt"),
      CommandExample("oppi show last --call 3", "All that a call has printed"),
      CommandExample("oppi show CdJR04ap --all", "A whole conversation"),
      CommandExample("oppi show --all --color always | less -R", "The same, page by page"),
    ],
    exitStatuses: [0, 1, 3, 4, 6, 64, 66, 69, 75, 76, 77, 78],
    members: Shown.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("all", \.isWhole, "Show the whole conversation"),
      .option("turns", placeholder: "N", \.turns, "Show the last N turns"),
      .option("call", placeholder: "NUMBER", \.call, "Show one call and all its output"),
      .positional("session", completion: .dynamic("session"), \.session, "The session"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    let choices = [options.isWhole, options.turns != nil, options.call != nil]
    guard choices.count(where: \.self) <= 1 else {
      throw UsageError(.contradiction("give one of --all, --turns and --call"))
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
    let reading = ReadConversation(api: api)
    let conversation = try await reading.read(session)
    let transcript = conversation.transcript
    if let number = options.call {
      guard var call = transcript.call(number) else {
        throw missingCall(number, of: transcript.callCount, in: session)
      }
      if let output = try await reading.wholeOutput(of: call, in: session) { call.output = output }
      return ShowReport(session, conversation, context).report(of: call)
    }
    let count = options.isWhole ? Int.max : options.turns ?? 1
    let turns = try await reading.turns(count, of: transcript)
    let isAnswer = !options.isWhole && options.turns == nil
    return ShowReport(session, conversation, context).report(of: turns, isAnswer: isAnswer)
  }

  private static func missingCall(
    _ number: Int,
    of count: Int,
    in session: ServerSession
  ) -> OppiError {
    let there = count == 0 ? "no calls" : count == 1 ? "1 call" : "calls 1 to \(count)"
    return OppiError(
      .noInput,
      "no call \(number) in session \(session.id)",
      hints: ["it has \(there); see them with: oppi show --all -- \(session.id)"],
      details: ["sessionId": .string(session.id)]
    )
  }
}
