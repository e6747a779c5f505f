// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// What is shown of a conversation, for programs.
struct Shown {
  static let runningState = "running"

  let session: ServerSession
  let conversation: ReadConversation.Conversation
  var turns: [PastTurn] = []
  var call: PastCall?

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<Shown> = [
    .member("sessionId", "The session") { .string($0.session.id) },
    .member(
      "state",
      "Of the last turn: finished, failed, empty, stopped, unknown, running or waiting; idle where "
        + "there is none"
    ) { .string($0.state) },
    .workspace { shown in
      WorkspaceLabel(
        server: shown.session.server,
        id: shown.session.workspaceID,
        name: shown.session.workspaceName ?? shown.conversation.session.workspaceName
      )
    },
    .server { $0.session.server },
    .list("turns", "The turns that are shown, the oldest first", ShownTurn.shape, \.turns),
    .object("call", "With --call: the call, with its output", ShownCall.wholeShape, \.call),
  ]

  private var state: String { conversation.transcript.last.map(ShownTurn.state) ?? "idle" }
}

/// One turn, for programs.
enum ShownTurn {
  static let shape: JSONShape<PastTurn> = [
    .member("number", "Its place in the conversation, from 1") { .integer(Int64($0.number)) },
    .member("state", "As that of the last turn") { .string(state(of: $0)) },
    .member("prompt", "What was asked, or null where that is not known") {
      $0.prompt.map(JSONValue.string) ?? .null
    },
    .member("images", "How many pictures were asked with") { .integer(Int64($0.imageCount)) },
    .member("texts", "What the agent said, message by message") { turn in
      .array(
        turn.steps.compactMap { step in
          if case .text(let text) = step { .string(text) } else { nil }
        }
      )
    },
    .member("answer", "The final answer, or null") { $0.answer.map(JSONValue.string) ?? .null },
    .member("error", "Why there is none, where something tells") { turn in
      turn.activity.outcome.flatMap(ActivityJSON.error).map(JSONValue.string)
    },
    .member("startedAt", "When it began, where the server tells") {
      $0.startedAt.map { .string($0.iso8601) }
    },
    .member("endedAt", "When it ended, where the server tells") {
      $0.activity.isFinished ? $0.endedAt.map { .string($0.iso8601) } : nil
    },
    .member("durationMs", "From the one to the other") {
      $0.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .list("calls", "The calls of tools", ShownCall.shape, \.calls),
  ]

  static func state(of turn: PastTurn) -> String {
    if let outcome = turn.activity.outcome { return outcome.word }
    return turn.activity.need.map { TurnEnding.needsHuman($0).state } ?? Shown.runningState
  }
}

/// One call of a tool, for programs.
enum ShownCall {
  static let shape = JSONShape(members)

  /// The call with all that it has printed.
  static let wholeShape = JSONShape(
    members + [
      .member("output", "All that it has printed, or null where there is no result") {
        $0.output.map(JSONValue.string) ?? .null
      }
    ]
  )

  private static let members: [JSONMember<PastCall>] = [
    .member("number", "What --call takes") { .integer(Int64($0.number)) },
    .member("callId", "The server's id, or null") { $0.wireID.map(JSONValue.string) ?? .null },
    .member("tool", "The tool") { .string($0.activity.tool) },
    .member("arguments", "What it was called with, up to 32 KiB") { $0.activity.arguments },
    .member("state", "planned, waiting, running, succeeded, failed, rejected or unfinished") {
      .string(ActivityJSON.word($0.activity.state))
    },
    .member("reason", "Why it was rejected") {
      ActivityJSON.reason($0.activity.state).map(JSONValue.string)
    },
    .member("startedAt", "When it began, where the server tells") {
      $0.activity.startedAt.map { .string($0.iso8601) }
    },
    .member("durationMs", "How long it took, where that is known") {
      $0.activity.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .member("outputBytes", "How much it has printed") {
      .integer(Int64($0.activity.output.totalBytes))
    },
  ]
}
