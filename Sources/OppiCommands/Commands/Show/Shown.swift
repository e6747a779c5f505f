// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The JSON of `show`.
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
      "The state of the last turn: finished, failed, empty, stopped, unknown, running or waiting; idle if "
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
    .list("turns", "The turns, the oldest first", ShownTurn.shape, \.turns),
    .object("call", "With --call: the call, with its output", ShownCall.wholeShape, \.call),
  ]

  private var state: String { conversation.transcript.last.map(ShownTurn.state) ?? "idle" }
}

enum ShownTurn {
  static let shape: JSONShape<PastTurn> = [
    .member("number", "Its number in the conversation, from 1") { .integer(Int64($0.number)) },
    .member("state", "Its state, as above") { .string(state(of: $0)) },
    .member("prompt", "The prompt, or null if unknown") {
      $0.prompt.map(JSONValue.string) ?? .null
    },
    .member("images", "The number of images in the prompt") { .integer(Int64($0.imageCount)) },
    .member("texts", "The agent's messages") { turn in
      .array(
        turn.steps.compactMap { step in
          if case .text(let text) = step { .string(text) } else { nil }
        }
      )
    },
    .member("answer", "The final answer, or null") { $0.answer.map(JSONValue.string) ?? .null },
    .member("error", "Why there is no answer, if known") { turn in
      turn.activity.outcome.flatMap(ActivityJSON.error).map(JSONValue.string)
    },
    .member("startedAt", "When it started, if known") {
      $0.startedAt.map { .string($0.iso8601) }
    },
    .member("endedAt", "When it ended, if known") {
      $0.activity.isFinished ? $0.endedAt.map { .string($0.iso8601) } : nil
    },
    .member("durationMs", "The time between them") {
      $0.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .list("calls", "The tool calls", ShownCall.shape, \.calls),
  ]

  static func state(of turn: PastTurn) -> String {
    if let outcome = turn.activity.outcome { return outcome.word }
    return turn.activity.need.map { TurnEnding.needsHuman($0).state } ?? Shown.runningState
  }
}

enum ShownCall {
  static let shape = JSONShape(members)

  /// The call with its full output.
  static let wholeShape = JSONShape(
    members + [
      .member("output", "The full output, or null if there is no result") {
        $0.output.map(JSONValue.string) ?? .null
      }
    ]
  )

  private static let members: [JSONMember<PastCall>] = [
    .member("number", "Its number for --call") { .integer(Int64($0.number)) },
    .member("callId", "The server's id, or null") { $0.wireID.map(JSONValue.string) ?? .null },
    .member("tool", "The tool") { .string($0.activity.tool) },
    .member("arguments", "Its arguments, up to 32 KiB") { $0.activity.arguments },
    .member("state", "planned, waiting, running, succeeded, failed, rejected or unfinished") {
      .string(ActivityJSON.word($0.activity.state))
    },
    .member("reason", "Why it was rejected") {
      ActivityJSON.reason($0.activity.state).map(JSONValue.string)
    },
    .member("startedAt", "When it started, if known") {
      $0.activity.startedAt.map { .string($0.iso8601) }
    },
    .member("durationMs", "Its duration, if known") {
      $0.activity.duration.map { .integer(Int64($0.milliseconds)) }
    },
    .member("outputBytes", "The size of its output") {
      .integer(Int64($0.activity.output.totalBytes))
    },
  ]
}
