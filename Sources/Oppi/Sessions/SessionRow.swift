// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A session with its server, as a row of text or JSON.
struct SessionRow {
  let server: PairedServer
  let status: SessionStatus

  /// The name that other commands accept, on any server.
  var qualifiedID: String { "\(server.name)/\(status.id)" }

  /// The details next to the goal.
  var note: String { status.note }

  var lastActivity: String {
    status.lastActivity.isKnown ? status.lastActivity.iso8601 : ""
  }

  var cost: String { status.costText }

  var changes: String { status.changesText }

  // MARK: - JSON

  static let shape: JSONShape<SessionRow> = [
    .text("id", "The session's id") { $0.status.id },
    .text("state", "As phase, but done where that is ended") { $0.status.phase.rawValue },
    .text("phase", SessionPhase.words) { $0.status.phase.word },
    .text("outcome", outcomes) { $0.status.outcome?.rawValue },
    .text("goal", "Its name, else the start of its first message, or null") { $0.status.goal },
    .workspace { row in
      WorkspaceLabel(
        server: row.server,
        id: row.status.workspaceID,
        name: row.status.workspaceName
      )
    },
    .server { $0.server },
    .text("model", "Its model, or null") { $0.status.model },
    .member("lastActivity", "When it was last active, or null") {
      $0.status.lastActivity.isKnown ? .string($0.status.lastActivity.iso8601) : .null
    },
    .member("loaded", "Whether it is loaded on its server") {
      .bool($0.status.isLoaded)
    },
    .member("cost", "Its cost so far, in dollars, or null") {
      $0.status.cost.map(JSONValue.double) ?? .null
    },
    .object("changes", "Its file changes, if any", changesShape) { $0.status.changes },
    .member("operation", "The agent's current operation, if known") {
      $0.status.turn?.operation.map(JSONValue.string)
    },
    .member("error", "Why its last turn failed, if it failed") {
      $0.status.turn?.failure.map(JSONValue.string)
    },
    .member("pendingApprovals", "The ids of its pending approvals") {
      .array($0.status.approvals.filter(\.kind.isDecision).map { .string($0.id) })
    },
    .member("pendingQuestions", "The ids of its pending questions") {
      .array($0.status.questionIDs.map(JSONValue.string))
    },
    .member("question", "The agent's pending question, if known") {
      $0.status.questionText.map(JSONValue.string)
    },
  ]

  private static let outcomes =
    "The outcome of its last turn: finished, empty, failed, stopped or unknown; null while one runs, "
    + "or if there was none"

  static let changesShape: JSONShape<Session.Changes> = [
    .number("files", "The number of changed files") { $0.files },
    .number("addedLines", "The number of added lines") { $0.addedLines },
    .number("removedLines", "The number of removed lines") { $0.removedLines },
  ]
}

extension Timestamp {
  /// Whether a server reported this time; later than 1970-01-01.
  fileprivate var isKnown: Bool { milliseconds > 86_400_000 }
}
