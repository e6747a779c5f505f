// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// A queued prompt as a row of text or JSON.
struct QueuedPromptRow {
  let prompt: QueuedPrompt
  let now: Timestamp

  /// `server/workspace`, or `server/session` for a session.
  var place: String {
    let target = prompt.target
    let name = target.sessionID ?? target.workspaceName ?? target.workspaceID ?? ""
    return "\(target.serverName)/\(name)"
  }

  var stateText: StyledText {
    let style: Style =
      switch prompt.state {
      case .waiting, .departed, .launched: .plain
      case .delivered: .success
      case .expired: .dim
      case .failed, .unknown: .error
      }
    return StyledText(prompt.state.word, style)
  }

  /// The time of the next attempt, the expiry and the reason.
  var note: String {
    var words: [String] = []
    if case .waiting(let retryAt?) = prompt.state, retryAt > now {
      words.append("retry in \(RelativeTime.age(seconds: now.age(at: retryAt)))")
    }
    if prompt.isHeldBack(at: now), let notBefore = prompt.notBefore {
      words.append("sent after \(notBefore.iso8601)")
    }
    if prompt.isOpen, let expiresAt = prompt.expiresAt, expiresAt > now {
      words.append("expires \(expiresAt.iso8601)")
    }
    if let reason = prompt.reason { words.append(reason.message) }
    return words.joined(separator: "; ")
  }

  var session: String { prompt.session.map { "\(prompt.target.serverName)/\($0)" } ?? "" }

  // MARK: - JSON

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<QueuedPromptRow> = [
    .text("key", "Its key") { $0.prompt.key.text },
    .text(
      "state",
      "outbox (queued), checking (sent, but not confirmed), delivered, failed, "
        + "expired or unknown"
    ) { $0.prompt.state.word },
    .text("prompt", "The text; empty once it is delivered") { $0.prompt.content.text },
    .number("images", "The number of images") { $0.prompt.content.images.count },
    .text("model", "The model of the new session; null for the workspace's default") {
      $0.prompt.content.model ?? $0.prompt.defaults.model
    },
    .text("thinking", "The thinking level of the session, or null") {
      ($0.prompt.content.thinking ?? $0.prompt.defaults.thinking)?.rawValue
    },
    .workspace { row in
      let target = row.prompt.target
      return WorkspaceLabel(
        serverID: target.serverID,
        id: target.workspaceID,
        name: target.workspaceName
      )
    },
    .server(id: { $0.prompt.target.serverID }, name: { $0.prompt.target.serverName }),
    .text("sessionId", "Its session, or null") { $0.prompt.session },
    .text("shortcut", "The shortcut whose session it continues, or null") {
      $0.prompt.content.conversation
    },
    .text("createdAt", "When it was queued") { $0.prompt.createdAt.iso8601 },
    .number("ageSeconds", "Its age") { $0.prompt.createdAt.age(at: $0.now) },
    .text("expiresAt", "When it expires, or null") { $0.prompt.expiresAt?.iso8601 },
    .number("attempts", "The number of delivery attempts") { $0.prompt.attempts },
    .text("retryAt", "When delivery is retried, or null") { $0.prompt.retryAt?.iso8601 },
    .text("notBefore", "The reset of the usage limit before which it is not sent, or null") {
      $0.prompt.isHeldBack(at: $0.now) ? $0.prompt.notBefore?.iso8601 : nil
    },
    .object("reason", "Why it is not delivered", reasonShape) { $0.prompt.reason },
    .bool("endsSession", "Whether its session is ended after the turn") { $0.prompt.endsSession },
  ]

  static let reasonShape: JSONShape<FailureReason> = [
    .text("code", "The error code") { $0.code },
    .text("message", "The error message") { $0.message },
  ]

  // MARK: - The list

  static let list = Listing<QueuedPromptRow>(
    "outbox",
    formerly: "prompts",
    "The prompts in the outbox, oldest first",
    shape,
    columns: [
      .text("KEY", .detail(2), .name) { $0.prompt.key.text },
      .cell("STATE", .kept) { row, _ in row.stateText },
      .text("PLACE", .context) { $0.place },
      .age(.detail(1)) { $0.prompt.createdAt },
      .text("PROMPT", .decides) { $0.prompt.content.text.safeLine(limit: 60) },
      .text("NOTE", .decides, .dim) { $0.note },
    ],
    pipe: [
      "key", "state", .text { $0.place }, .text { $0.session }, "createdAt", "expiresAt",
      "reason.message", .text { $0.prompt.content.text.safeLine(limit: 2000) },
    ]
  )
}
