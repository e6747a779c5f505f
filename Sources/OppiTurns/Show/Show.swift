// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// `oppi show`: the turns and tool calls of a session.
package enum Show {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isWhole = false
    var turns: Int?
    var call: Int?
    var isMarkdown = false
  }

  package static let command: Command = Command(
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
      agent's messages and the tool calls with their folded outputs. The agent's messages keep \
      their Markdown and HTML; all other text is escaped or in code blocks. Of an output of more \
      than \(ConversationMarkdown.lineLimit) lines the middle is left out. With --json the \
      document is a member.
      """,
    examples: [
      ("oppi show", "Show the result of the last prompt"),
      ("oppi show last --call 3", "Show the full output of a call"),
      ("oppi show CdJR04ap --all", "Show a whole conversation"),
      ("oppi show --all --markdown > session.md", "Export a conversation"),
      ("oppi show --all --color always | less -R", "Page through a conversation"),
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
      .positional("session", completion: .names(of: .session), \.session, "The session"),
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
    let session = try await api.located(found)
    let reading = ReadConversation(api: api)
    let conversation = try await reading.read(session)
    var shown = Shown(session: session, conversation: conversation)
    if let number = options.call {
      let transcript = conversation.transcript
      guard let call = try await reading.call(number, of: transcript, in: session) else {
        let count = transcript.callCount
        let calls = count == 0 ? "no calls" : count == 1 ? "1 call" : "calls 1 to \(count)"
        throw OppiError(
          .noInput,
          "no call \(number) in session \(session.id)",
          hints: ["it has \(calls); list them with: oppi show --all \(session.id.asOperand)"],
          details: ["sessionId": .string(session.id)]
        )
      }
      shown.call = call
      return shown.report(of: call, in: context)
    }
    // A question of which only the text is known has the session's id.
    if let need = conversation.transcript.last?.need, need.id != session.id {
      await api.recorder?.remember(listed: [need], of: session.id)
    }
    let count = options.isWhole ? Int.max : options.turns ?? 1
    shown.turns = try await reading.turns(count, of: conversation.transcript)
    if options.isMarkdown { return shown.markdownReport(in: context) }
    let isAnswer = !options.isWhole && options.turns == nil
    return shown.report(isAnswer: isAnswer, in: context)
  }
}

extension Shown {
  /// The report of the turns; in a pipe only the last answer, or all of them.
  fileprivate func report(isAnswer: Bool, in context: Context) -> Report {
    let now = context.now()
    let policy = context.output.policy
    let isSpoken = policy.accessible != nil
    let page = Report.Text.page { [turns, width = policy.width, look = policy.look] in
      isSpoken
        ? turns.flatMap { SpokenTurn.lines(of: $0, at: now) }
        : TurnRows.rows(of: turns, width: width, look: look, now: now)
    }
    let pipe: Report.Text =
      if policy.theme.isStyled {
        page
      } else if isAnswer {
        turns.last?.answer.map(Report.Text.text) ?? .nothing
      } else {
        .page { [turns] in turns.map { StyledText(TurnText.text(of: $0) + "\n") } }
      }
    return report(turns.isEmpty ? .nothing : page, pipe: turns.isEmpty ? .nothing : pipe, at: now)
  }

  /// The report of the turns as a Markdown document, the same on terminals and in pipes.
  fileprivate func markdownReport(in context: Context) -> Report {
    let document = ConversationMarkdown(self)
    var shown = self
    shown.markdown = document
    var report = shown.report(.page { [StyledText(document.text)] }, at: context.now())
    let outputs = turns.flatMap(\.calls).reduce(0) { $0 + ($1.recordedOutput?.utf8.count ?? 0) }
    report.isLong = Report.isLong(turns.reduce(outputs) { $0 + $1.size })
    return report
  }

  private func report(
    _ text: Report.Text,
    pipe: Report.Text? = nil,
    at now: Timestamp
  ) -> Report {
    var report = Report(
      document,
      text,
      pipe: pipe,
      status: turns.isEmpty ? StyledText("session \(session.id) has no turns") : nil,
      notes: notes,
      failure: failure(at: now)
    )
    report.isLong = Report.isLong(turns.reduce(0) { $0 + $1.size })
    return report
  }

  /// The report of one call; in a pipe only its output.
  fileprivate func report(of call: ToolCallActivity, in context: Context) -> Report {
    let policy = context.output.policy
    let minus = policy.accessible == nil ? DiffRows.minus : "-"
    let page = Report.Text.page { [width = policy.width] in
      CallRows.rows(of: call, width: width, minus: minus)
    }
    let output = call.recordedOutput.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    let pipe = output.map(Report.Text.text) ?? .nothing
    // With colours, a pipe gets the same output as a terminal.
    var report = Report(document, page, pipe: policy.theme.isStyled ? page : pipe)
    report.isLong = Report.isLong(call.recordedOutput?.utf8.count ?? 0)
    return report
  }

  private var notes: [Report.Note] {
    guard conversation.phase == .mayBeRetried else { return [] }
    return [.hint("the agent may retry; watch it with: oppi follow \(session.id.asOperand)")]
  }

  private func failure(at now: Timestamp) -> OppiError? {
    guard let last = conversation.transcript.last else { return nil }
    if let outcome = last.outcome {
      return TurnEnding.turn(outcome)
        .failure(sessionID: session.id, at: last.endedAt, now: now)
    }
    if let need = last.need {
      var failure = TurnEnding.needsHuman(need).failure(sessionID: session.id, at: nil)
      if need.id == session.id, !session.server.repeatsQuestions {
        failure?.hints = [QuestionText.unreported(in: session.id)]
      }
      failure?.hints.append(watching)
      return failure
    }
    return OppiError(
      .sessionBusy,
      "the turn is still running",
      hints: [watching],
      details: ["sessionId": .string(session.id), "state": .string(Shown.runningState)]
    )
  }

  private var watching: String { "watch it with: oppi follow \(session.id.asOperand)" }
}
