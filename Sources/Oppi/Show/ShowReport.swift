// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

struct ShowReport {
  private let session: ServerSession
  private let conversation: ReadConversation.Conversation
  private let context: Context

  init(
    _ session: ServerSession,
    _ conversation: ReadConversation.Conversation,
    _ context: Context
  ) {
    self.session = session
    self.conversation = conversation
    self.context = context
  }

  /// The report of the last turns; in a pipe only the last answer, or all of them.
  func report(of turns: [PastTurn], isAnswer: Bool) -> Report {
    let shown = Shown(session: session, conversation: conversation, turns: turns)
    let now = context.now()
    let policy = context.console.policy
    let eyes = Report.Text.page { [width = policy.width, links = policy.links] in
      TurnRows.rows(of: turns, width: width, links: links, now: now)
    }
    let pipe: Report.Text =
      if isAnswer {
        turns.last?.answer.map(Report.Text.text) ?? .nothing
      } else {
        .page { turns.map { StyledText(TurnText.text(of: $0) + "\n") } }
      }
    let isNothing = turns.isEmpty
    var report = Report(
      shown.document,
      isNothing ? .nothing : eyes,
      pipe: isNothing ? .nothing : isColored ? eyes : pipe,
      status: isNothing ? StyledText("session \(session.id) has no turns") : nil,
      notes: notes,
      failure: failure
    )
    report.isLong = Report.isLong(turns.reduce(0) { $0 + $1.size })
    return report
  }

  /// The report of the last turns as a Markdown document, the same on terminals and in pipes.
  func markdown(of turns: [PastTurn]) -> Report {
    let workspace = Shown(session: session, conversation: conversation).workspace
    let document = ConversationMarkdown(
      session: conversation.session,
      place: workspace.name ?? workspace.id ?? "",
      server: session.server.name,
      turns: turns
    )
    let shown = Shown(
      session: session,
      conversation: conversation,
      turns: turns,
      markdown: document
    )
    var report = Report(
      shown.document,
      .page { [StyledText(document.text)] },
      status: turns.isEmpty ? StyledText("session \(session.id) has no turns") : nil,
      notes: notes,
      failure: failure
    )
    let outputs = turns.flatMap(\.calls).reduce(0) { $0 + ($1.output?.utf8.count ?? 0) }
    report.isLong = Report.isLong(turns.reduce(outputs) { $0 + $1.size })
    return report
  }

  /// The report of one call; in a pipe only its output.
  func report(of call: PastCall) -> Report {
    let shown = Shown(session: session, conversation: conversation, call: call)
    let width = context.console.policy.width
    let eyes = Report.Text.page { CallRows.rows(of: call, width: width) }
    let output = call.output.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    let pipe = output.map(Report.Text.text) ?? .nothing
    var report = Report(shown.document, eyes, pipe: isColored ? eyes : pipe)
    report.isLong = Report.isLong(call.output?.utf8.count ?? 0)
    return report
  }

  /// Whether a pipe gets the same output as a terminal.
  private var isColored: Bool { context.console.policy.theme.isStyled }

  private var notes: [Report.Note] {
    guard case .mayBeRetried = conversation.standing else { return [] }
    return [.hint("the agent may retry; watch it with: oppi follow \(session.id.asOperand)")]
  }

  private var failure: OppiError? {
    guard let last = conversation.transcript.last else { return nil }
    if let outcome = last.activity.outcome {
      return TurnEnding.turn(outcome).failure(sessionID: session.id, at: last.endedAt)
    }
    if let need = last.activity.need {
      var failure = TurnEnding.needsHuman(need).failure(sessionID: session.id, at: nil)
      failure?.hints.append(OppiError.watching(session.id))
      return failure
    }
    return .stillRunning(in: session.id, state: Shown.runningState)
  }
}
