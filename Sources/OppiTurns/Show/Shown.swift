// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiText
import OppiWire

/// The JSON of `show`.
struct Shown {
  static let runningState = SessionPhase.running.word

  let session: ServerSession
  let conversation: ReadConversation.Conversation
  var turns: [Turn] = []
  var call: ToolCallActivity?
  var markdown: ConversationMarkdown?

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<Shown> = [
    .text("sessionId", "The session") { $0.session.id },
    .text(
      "state",
      "The state of the last turn: finished, failed, empty, stopped, unknown, running or waiting; idle if "
        + "there is none"
    ) { $0.state },
    .text("phase", "The state of the session: \(SessionPhase.words)") { $0.phase.word },
    .workspace { $0.workspace },
    .server { $0.session.server },
    .list("turns", "The turns, the oldest first", ShownTurn.shape, \.turns),
    .object("call", "With --call: the call, with its output", ShownCall.wholeShape, \.call),
    .optionalText("markdown", "With --markdown: the turns as a Markdown document") {
      $0.markdown?.text
    },
  ]

  var workspace: WorkspaceLabel {
    WorkspaceLabel(
      server: session.server,
      id: session.workspaceID,
      name: session.workspaceName ?? conversation.session.workspaceName
    )
  }

  private var state: String {
    conversation.transcript.last.map(ShownTurn.state) ?? SessionPhase.idle.word
  }

  private var phase: SessionPhase {
    let turn = conversation.transcript.last
    if turn?.isWaiting == true { return .waiting }
    if turn?.isFinished == false { return .running }
    if case .failed? = turn?.outcome { return .failed }
    return SessionStatus(
      conversation.session,
      clockOffset: .zero,
      approvals: [],
      turn: nil,
      question: nil
    ).phase
  }
}

enum ShownTurn {
  static let shape: JSONShape<Turn> = [
    .number("number", "Its number in the conversation, from 1") { $0.number },
    .text("state", "Its state, as above") { state(of: $0) },
    .text("prompt", "The prompt, or null if unknown") { $0.prompt },
    .number("images", "The number of images in the prompt") { $0.imageCount },
    .member("texts", "The agent's messages") { turn in
      .array(
        turn.steps.compactMap { step in
          if case .text(let text) = step { .string(text) } else { nil }
        }
      )
    },
    .text("answer", "The final answer, or null") { $0.answer },
    .optionalText("error", "Why there is no answer, if known") {
      $0.outcome.flatMap(ActivityJSON.error)
    },
    .optionalText("startedAt", "When it started, if known") { $0.startedAt?.iso8601 },
    .optionalText("endedAt", "When it ended, if known") {
      $0.isFinished ? $0.endedAt?.iso8601 : nil
    },
    .member("durationMs", "The time between them") {
      $0.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .list("calls", "The tool calls", ShownCall.shape, \.calls),
  ]

  static func state(of turn: Turn) -> String {
    if let outcome = turn.outcome { return outcome.word }
    return turn.need.map { TurnEnding.needsHuman($0).state } ?? Shown.runningState
  }
}

enum ShownCall {
  static let shape = JSONShape(members)

  /// The call with its full output.
  static let wholeShape = JSONShape(
    members + [
      .text("output", "The full output, or null if there is no result") { $0.recordedOutput }
    ]
  )

  private static let members: [JSONMember<ToolCallActivity>] = [
    .number("number", "Its number for --call") { $0.number },
    .text("callId", "The server's id, or null") { $0.wireID },
    .text("tool", "The tool") { $0.tool },
    .member("arguments", "Its arguments, up to 32 KiB") { $0.arguments },
    .text("state", "planned, waiting, running, succeeded, failed, rejected or unfinished") {
      ActivityJSON.word($0.state)
    },
    .optionalText("reason", "Why it was rejected") { $0.rejection },
    .optionalText("startedAt", "When it started, if known") { $0.startedAt?.iso8601 },
    .member("durationMs", "Its duration, if known") {
      $0.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .number("outputBytes", "The size of its output") { $0.output.totalBytes },
  ]
}
